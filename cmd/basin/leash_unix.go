//go:build unix

package main

import (
	"os"
	"os/exec"
)

// leash lets the lab's program notice the end of this process, however it ends. The program
// inherits one end of a pipe, as the descriptor that BASIN_LAB_LEASH names; this process has
// the other end.
func leash(c *exec.Cmd) (release func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.ExtraFiles = []*os.File{r}
	c.Env = append(c.Environ(), "BASIN_LAB_LEASH=3") // the first descriptor after standard error
	return func() {
		r.Close()
		w.Close()
	}, nil
}
