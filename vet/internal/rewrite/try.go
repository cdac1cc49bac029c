package rewrite

import (
	"context"
	"os"
	"os/exec"
	"slices"
)

// A Trial runs the go command in a module as if packages had been written.
type Trial struct {
	g   goCommand
	tmp string
}

// Try begins a trial of packages of one module. Close ends it.
func (b *Builder) Try(ctx context.Context, module string, pkgs []*Package) (*Trial, error) {
	tmp, err := os.MkdirTemp("", "basin")
	if err != nil {
		return nil, err
	}
	t := &Trial{goCommand{module, b.Flags, nil}, tmp}
	if err = t.g.findLibrary(ctx, tmp); err == nil {
		_, err = writeOverlay(tmp, pkgs)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Close removes the temporary files of the trial.
func (t *Trial) Close() { os.RemoveAll(t.tmp) }

// Command returns the go command with a verb, and with more variables of the environment.
func (t *Trial) Command(ctx context.Context, env []string, verb string, args ...string) *exec.Cmd {
	args = slices.Concat([]string{verb, "-overlay=" + overlayFile(t.tmp)}, t.g.flags, args)
	cmd := Command(ctx, "go", args...)
	cmd.Dir, cmd.Env = t.g.dir, slices.Concat(os.Environ(), t.g.env, env)
	return cmd
}
