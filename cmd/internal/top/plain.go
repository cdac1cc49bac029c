package top

import (
	"context"
	"fmt"
	"io"
	"time"
)

// runPlain prints a table each interval.
func runPlain(ctx context.Context, source *Source, c Config, stdout, stderr io.Writer) error {
	o := order{column: columnNamed(c.Sort)}
	var r reading
	ticker := time.NewTicker(c.Interval)
	defer ticker.Stop()
	for n := 1; ; n++ {
		report, failed := source.read(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failed != nil && (n == 1 || n == c.Count):
			return failed
		case failed != nil:
			fmt.Fprintf(stderr, "basin: %v\n", failed)
		default:
			r = r.next(report)
			rows := r.rows()
			o.sort(rows)
			if _, err := fmt.Fprintf(stdout, "%s\n%s\n", summary(r), plainText(draw(columns, rows, look{to: len(rows), sorted: o, selected: -1}))); err != nil {
				return err
			}
		}
		if n == c.Count {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// summary is a line about the program.
func summary(r reading) string {
	now := r.now
	inUse, idle := int64(0), int64(0)
	for _, s := range now.Pools {
		inUse += s.InUseBytes
		idle += s.IdleBytes
	}
	s := fmt.Sprintf("%s  %s  %d pools: %s in use, %s idle  heap %s", now.Time.Local().Format(time.TimeOnly), clean(now.Program), len(now.Pools),
		bytes(inUse), bytes(idle), bytes(int64(now.Go.HeapBytes)))
	if now.Go.MemoryLimit > 0 {
		s += fmt.Sprintf(", memory %s of %s", bytes(int64(now.Go.MemoryBytes)), bytes(int64(now.Go.MemoryLimit)))
	}
	return s
}
