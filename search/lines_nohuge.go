//go:build unix && !linux

package search

func adviseHuge([]byte) {}
