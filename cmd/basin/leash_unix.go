//go:build unix

package main

import (
	"os"
	"os/exec"
)

// leash has the lab's program notice when this process is gone, however it ended: it inherits the
// end of a pipe whose other end is here, as the descriptor that BASIN_LAB_LEASH names.
func leash(c *exec.Cmd) (release func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.ExtraFiles = []*os.File{r}
	c.Env = append(c.Environ(), "BASIN_LAB_LEASH=3") // the first one after standard error
	return func() {
		r.Close()
		w.Close()
	}, nil
}
