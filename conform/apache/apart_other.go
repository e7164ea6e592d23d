//go:build !linux

package main

import "syscall"

// apart keeps signals for us from the broker, which is ended in order.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
