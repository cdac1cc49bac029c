//go:build go1.25

package basinhttp

import "testing"

// TestShare has clients ask while a report is being made: they share the next one, which is
// of a moment after they asked.
func TestShare(t *testing.T) {
	s := sender{read: func() any { return nil }}
	first := s.take()
	shared := s.join()
	for range 100 {
		if s.join() != shared {
			t.Fatal("two reports wait to be made")
		}
	}
	if shared == first {
		t.Error("who asks gets a report of before")
	}
	s.begin(shared)
	if s.join() == shared {
		t.Error("who asks gets a report that is begun")
	}
}

// TestRoom has reports of many sizes that nobody finishes reading.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		want int // how many reports there are at a time
	}{
		{"small", 1 << 10, maxSending >> 10},
		{"large", 9 << 20, 3},
		{"all the room", maxSending, 1},
		{"too large", maxSending + 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sender{size: int64(tt.size)}
			text := make([]byte, tt.size)
			var held []*encoded
			for len(held) <= tt.want {
				e := s.join()
				if e == nil {
					break
				}
				s.begin(e)
				s.finish(e, text)
				held = append(held, e)
			}
			if len(held) != tt.want {
				t.Errorf("%d reports, want %d", len(held), tt.want)
			}
			s.done(held[0])
			if s.join() == nil {
				t.Error("there is no room once one was read")
			}
			for _, e := range held[1:] {
				s.done(e)
			}
			s.done(s.next)
			if s.sending != 0 {
				t.Errorf("%d bytes are left", s.sending)
			}
		})
	}
}
