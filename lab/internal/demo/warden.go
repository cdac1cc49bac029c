package demo

import (
	"fmt"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/shirou/gopsutil/v4/process"
)

// wardenLooks is how often a warden looks.
const wardenLooks = 5 * time.Millisecond

// A warden kills a process that takes more memory than a limit. The kernel does so
// for containers; to have it do so here would take rights that a demo should not need.
type warden struct {
	end, ended  chan struct{}
	peak        int64
	killedAfter time.Duration
}

// guard begins to watch p, unless the limit is zero.
func guard(p *child.Process, limit int64) (*warden, error) {
	w := &warden{end: make(chan struct{}), ended: make(chan struct{})}
	if limit == 0 {
		close(w.ended)
		return w, nil
	}
	watched, err := process.NewProcess(int32(p.PID()))
	if err != nil {
		return nil, fmt.Errorf("looking at the memory of the gateway: %w", err)
	}
	go w.watch(p, watched, limit)
	return w, nil
}

func (w *warden) watch(p *child.Process, watched *process.Process, limit int64) {
	defer close(w.ended)
	begun := time.Now()
	tick := time.NewTicker(wardenLooks)
	defer tick.Stop()
	for {
		memory, err := watched.MemoryInfo()
		if err != nil {
			return // it has ended, and whoever calls it is told
		}
		w.peak = max(w.peak, int64(memory.RSS))
		if w.peak > limit {
			w.killedAfter = time.Since(begun)
			p.Kill()
			return
		}
		select {
		case <-tick.C:
		case <-w.end:
			return
		}
	}
}

// leave ends the watch. It returns the most memory that was seen, and after how long
// the process was killed, if it was.
func (w *warden) leave() (peak int64, killedAfter time.Duration) {
	close(w.end)
	<-w.ended
	return w.peak, w.killedAfter
}
