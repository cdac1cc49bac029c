//go:build go1.25 && basin_sched

package schedules

import (
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/proof/sched"
)

// In a scenario that switches checks, the slow paths of users are those of a pool that asks the current
// tracker, and the switch is the real one. An item that a tracker hands out has an array, for
// the tracker to know it by. No tracker may miss the Put of its item before it is closed: the item would
// be idle, and its record would call it a leak once it is released.

// taken is the verdict on an item that a tracker has taken back.
const taken engine.Verdict = -2

var checkOwner = check.NewOwner("schedules")

// checks makes the engine follow the switch of checks. The result ends that.
func (w *world) checks() (end func()) {
	check.OnSwitch(func(checked bool, _ *check.Tracker) { w.engine.Hide(checked) })
	return func() {
		check.OnSwitch(func(bool, *check.Tracker) {})
		check.Switch(nil)
	}
}

// full switches full checks on, by a new tracker. off switches checks off.
func (u *user) full() { u.switchTo(check.New(1, true, false)) }
func (u *user) off()  { u.switchTo(nil) }

func (u *user) switchTo(t *check.Tracker) {
	u.begin(other, "checks: %t", t != nil)
	check.Switch(t)
	u.end("switched")
}

// getSlow is the slow path of a Get.
func (u *user) getSlow(c uint, asked int) (x int, class uint, ok bool) {
	if u.scenario.switches {
		if t := check.Current.Load(); t != nil && t.Pick() {
			u.engine.CountGet(c, asked)
			u.fresh = t
			return 0, c, false
		}
	}
	return u.engine.Get(c, asked, engine.BestFit)
}

// track makes x an item of the tracker that has just handed it out, if one has.
func (u *user) track(x int) {
	if t := u.fresh; t != nil {
		u.fresh = nil
		u.tracker[x] = t
		u.array[x] = t.Array(checkOwner, 64, func(n int) []byte { return make([]byte, n) })
	}
}

// putSlow is the slow path of a Put.
func (u *user) putSlow(c uint, x int) engine.Verdict {
	if u.scenario.switches && u.array[x] != nil {
		if t := check.Current.Load(); t != nil {
			switch verdict, f := t.Put(checkOwner, &u.array[x][0], len(u.array[x])); {
			case verdict == check.Accepted:
				u.engine.CountChecked(c)
				return taken
			case f.Kind != misuse.Kind(0):
				sched.Fail("item %d is put correctly, and is reported as %v", x, f.Kind)
			}
		}
	}
	u.unseen(x)
	return u.engine.Put(c, x)
}

// unseen fails if x is tracked by a tracker that is not closed.
func (u *user) unseen(x int) {
	if t := u.tracker[x]; t != nil && !t.Closed() {
		sched.Fail("the tracker of item %d does not see its Put", x)
	}
	u.tracker[x] = nil
}
