package top

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/cmd/internal/remote"
)

// runPlain prints a table each interval. With a Count it does not print the first reading, because
// rates need two.
func runPlain(ctx context.Context, source *remote.Source, c Config, stdout, stderr io.Writer) error {
	o := order{column: columnNamed(c.Sort)}
	var r reading
	ticker := time.NewTicker(c.Interval)
	defer ticker.Stop()
	last := c.Count + 1
	for n := 1; ; n++ {
		report, failed := source.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failed != nil && (n == 1 || n == last && c.Count > 0):
			return failed
		case failed != nil:
			if err := untilDone(ctx, func() error {
				fmt.Fprintf(stderr, "basin: %v\n", failed)
				return nil
			}); err != nil {
				return err
			}
		default:
			r = r.next(report)
			if n == 1 && c.Count > 0 {
				break
			}
			now := r
			if err := untilDone(ctx, func() error { return printTable(ctx, now, o, stdout) }); err != nil {
				return err
			}
		}
		if n == last && c.Count > 0 {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// untilDone calls f, and waits until f returns or ctx is done. f may hang if nobody reads the output.
func untilDone(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// plainSites is the most lines of each list of sites below a table.
const plainSites = 10

// printTable prints the table of a reading, and the findings of checks.
func printTable(ctx context.Context, r reading, o order, w io.Writer) error {
	rows := r.rows()
	o.sort(rows)
	over := ""
	if passed := r.seconds(); passed > 0 {
		over = fmt.Sprintf("  rates over %.3g s", passed)
	}
	text := fmt.Sprintf("%s%s\n%s\n", summary(r), over, plainText(draw(columns, rows, layout{to: len(rows), sorted: o, selected: -1, named: true})))
	if r.now.Checking == nil {
		for _, line := range garbage(r) {
			text += plainText(line)
		}
	} else {
		text += plainText(strings.Join(sites(r, plainSites), "\n")) + "\n"
	}
	if ctx.Err() != nil { // there was much to draw
		return ctx.Err()
	}
	_, err := io.WriteString(w, text)
	return err
}

// summary returns a line about the program.
func summary(r reading) string {
	now := r.now
	inUse, idle, limits := int64(0), int64(0), 0
	for _, s := range now.Pools {
		if basinexport.OfLimit(&s) {
			limits++
			continue
		}
		inUse += max(0, s.Bytes.InUse)
		idle += max(0, s.Bytes.Idle)
	}
	pools := "pools"
	if len(now.Pools)-limits == 1 {
		pools = "pool"
	}
	garbage := "" // or in use beside a smaller heap is a riddle
	if now.GarbageBytes > 0 {
		garbage = fmt.Sprintf(" (%s garbage)", bytes(now.GarbageBytes))
	}
	s := fmt.Sprintf("%s  %s  %d %s: %s in use%s, %s idle, heap %s", now.Time.Local().Format(time.TimeOnly), printable.Text(now.Program), len(now.Pools)-limits, pools,
		bytes(inUse), garbage, bytes(idle), bytes(int64(now.Go.HeapBytes)))
	if now.Checking != nil && now.Checking.GuardBytes > 0 { // memory in use that is not on the heap
		s += ", guarded " + bytes(now.Checking.GuardBytes)
	}
	if now.Go.MemoryLimit > 0 {
		s += fmt.Sprintf(", memory %s of %s", bytes(int64(now.Go.MemoryBytes)), bytes(int64(now.Go.MemoryLimit)))
	}
	return s
}
