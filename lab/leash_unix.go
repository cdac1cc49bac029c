//go:build unix

package main

import (
	"os"
	"strconv"
	"syscall"
)

// onLeash calls gone once the process that started this one has ended, if it was basin: this one
// holds the end of a pipe then, as the descriptor that BASIN_LAB_LEASH names.
func onLeash(gone func()) {
	fd, err := strconv.Atoi(os.Getenv("BASIN_LAB_LEASH"))
	if err != nil || fd <= 2 {
		return
	}
	os.Unsetenv("BASIN_LAB_LEASH") // the children of this process have their own way
	syscall.CloseOnExec(fd)
	go func() {
		os.NewFile(uintptr(fd), "leash").Read(make([]byte, 1))
		gone()
	}()
}
