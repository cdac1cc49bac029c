package basin

import "github.com/basin-go/basin/internal/check"

// A Shared tells itself whether it has been released; records add who did it.

// track says that s is handed out.
func (s *Shared) track() {
	if t := tracker.Load(); t != nil && t.Pick() {
		check.Object(t, Default().owner(), s, len(s.data), true)
	}
}

// untrack says that s is released.
func (s *Shared) untrack() {
	if t := tracker.Load(); t != nil && check.Judges(t, s) {
		check.Release(t, Default().owner(), s, check.Care[Shared]{
			Poison: func(*Shared) {}, // that is for its data, by Put
			Damage: func(*Shared) int { return -1 },
		})
	}
}

// misused reports a use of s after it has been released, if that is known to checks. It is
// not called before that.
func (s *Shared) misused() {
	if t := tracker.Load(); t != nil {
		if f, ok := check.Used(t, s); ok {
			found(f)
		}
	}
}
