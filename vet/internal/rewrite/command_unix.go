//go:build unix

package rewrite

import (
	"os/exec"
	"syscall"
)

// endWithChildren has the command be a process group, which is ended as a whole.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
