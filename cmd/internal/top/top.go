// Package top shows the pools of a running program in a terminal, as top shows
// processes.
package top

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/basin-go/basin/cmd/internal/remote"
)

// Config selects the contents of the view, and its form.
type Config struct {
	Interval time.Duration // from one reading to the next, at least MinInterval
	Sort     string        // title of a column, in any case; numbers are sorted largest first
	Plain    bool          // print a table each Interval, as if there were no terminal
	Count    int           // number of tables to print, or zero for a view or tables without end
}

// MinInterval is the shortest Interval.
const MinInterval = 100 * time.Millisecond

// Check returns an error if the configuration makes no sense.
func (c Config) Check() error {
	if c.Interval < MinInterval {
		return fmt.Errorf("-interval is %v, want at least %v", c.Interval, MinInterval)
	}
	if c.Count < 0 {
		return fmt.Errorf("-n is %d, want 1 or more", c.Count)
	}
	if columnNamed(c.Sort) < 0 {
		return fmt.Errorf("-sort is %q, want one of %s", c.Sort, strings.Join(ColumnNames(), ", "))
	}
	return nil
}

// Run shows the pools of the program that source reads, until the user quits, the context is done,
// or Count tables are printed. Output goes to stdout, as a view that refreshes itself if that is a
// terminal. Run returns an error if the first reading fails. After later failures it tries again.
//
// If nobody reads the output, Run still returns once the context is done, and leaves a goroutine
// behind that waits in Write.
func Run(ctx context.Context, source *remote.Source, c Config, stdout, stderr io.Writer) error {
	if f, ok := stdout.(*os.File); ok && !c.Plain && c.Count == 0 && term.IsTerminal(int(f.Fd())) {
		return runScreen(ctx, source, c, f)
	}
	return runPlain(ctx, source, c, stdout, stderr)
}
