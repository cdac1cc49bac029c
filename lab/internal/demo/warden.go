package demo

import (
	"fmt"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/shirou/gopsutil/v4/process"
)

// wardenLooks is the interval at which a warden reads the memory of its process.
const wardenLooks = 5 * time.Millisecond

// A warden kills a process that exceeds a memory limit. In containers the kernel does that;
// here it would need rights that a demo should not need.
type warden struct {
	end, ended  chan struct{}
	peak        int64
	killedAfter time.Duration
}

// guard starts to watch p, unless the limit is zero.
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
			return // the process has ended, which its callers notice
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

// leave ends the watch. It returns the most memory that was seen, and if the process was
// killed, the time until then.
func (w *warden) leave() (peak int64, killedAfter time.Duration) {
	close(w.end)
	<-w.ended
	return w.peak, w.killedAfter
}
