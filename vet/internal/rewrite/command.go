package rewrite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Library is the import path that changes may add.
const Library = "github.com/basin-go/basin"

// A goCommand runs in a directory.
type goCommand struct {
	dir   string
	flags []string
	env   []string
}

func (g *goCommand) run(ctx context.Context, args ...string) (string, error) {
	cmd := Command(ctx, "go", args...)
	cmd.Dir, cmd.Env = g.dir, append(os.Environ(), g.env...)
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		err = errors.New(strings.TrimSpace(string(e.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// Command is exec.CommandContext for the go command. When ctx ends, processes that it
// has started end too.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	endWithChildren(cmd)
	cmd.WaitDelay = time.Second // for children that keep the output open
	return cmd
}
