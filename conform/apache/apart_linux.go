package main

import "syscall"

// apart keeps signals for us from the broker, which is ended in order; but it
// must not outlive us, however we end.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
