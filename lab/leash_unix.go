//go:build unix

package main

import (
	"os"
	"strconv"
	"syscall"
)

// onLeash calls gone when the process that started this one has ended, if that was basin. basin
// then holds the other end of a pipe, whose descriptor BASIN_LAB_LEASH names.
func onLeash(gone func()) {
	fd, err := strconv.Atoi(os.Getenv("BASIN_LAB_LEASH"))
	if err != nil || fd <= 2 {
		return
	}
	os.Unsetenv("BASIN_LAB_LEASH") // children of this process have another mechanism
	syscall.CloseOnExec(fd)
	go func() {
		os.NewFile(uintptr(fd), "leash").Read(make([]byte, 1))
		gone()
	}()
}
