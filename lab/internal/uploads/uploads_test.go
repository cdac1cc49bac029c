package uploads

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/basin-go/basin"
	"golang.org/x/sync/semaphore"
)

const size = 100_000

// newServer returns a server whose default pool has a Limit of max, if the manner has one.
func newServer(t *testing.T, w way, manner string, max int64) *server {
	s := &server{Config: Config{Way: w.name, Manner: manner, Size: size, Max: max}, way: w}
	s.limit.Max, s.door.Max = max, max
	s.weigh = semaphore.NewWeighted(max)
	pool := &basin.BytePool{Name: t.Name()}
	if manner == "refuse" || manner == "reserve" {
		pool.Limit = &s.limit
	}
	basin.SetDefault(pool)
	t.Cleanup(func() { basin.SetDefault(nil) })
	return s
}

func (s *server) answer(b Body) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/", bytes.NewReader(b.Data))
	r.Header = b.Header
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestWrong: each way in each manner serves an upload, finds a wrong byte at the beginning and at the end, and
// has nothing in use afterwards. Without room it refuses.
func TestWrong(t *testing.T) {
	for _, w := range ways {
		bodies, err := Encode(w.name, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, manner := range Manners {
			t.Run(w.name+" "+manner, func(t *testing.T) {
				s := newServer(t, w, manner, 4<<20)
				for _, b := range bodies {
					if a := s.answer(b); a.Code != http.StatusOK {
						t.Fatalf("%d: %s", a.Code, a.Body)
					}
				}
				other := bodies[0]
				other.Data = bodies[1].Data
				if w.kind == inParts {
					other = bodies[1]
					other.Header = other.Header.Clone()
					other.Header.Set(seedHeader, "0")
				}
				if a := s.answer(other); a.Code != http.StatusInternalServerError {
					t.Errorf("the data of another upload: %d: %s", a.Code, a.Body)
				}
				if w.kind == raw {
					last := bodies[0]
					last.Data = bytes.Clone(last.Data)
					last.Data[len(last.Data)-1] ^= 1
					if a := s.answer(last); a.Code != http.StatusInternalServerError {
						t.Errorf("a wrong byte at the end: %d: %s", a.Code, a.Body)
					}
					last.Data = last.Data[:len(last.Data)-1]
					if a := s.answer(last); a.Code != http.StatusInternalServerError {
						t.Errorf("too short: %d: %s", a.Code, a.Body)
					}
				}
				if n := s.limit.Stats().Bytes.InUse; n != 0 {
					t.Errorf("%d bytes in use", n)
				}
				if manner != "refuse" && manner != "reserve" {
					return
				}
				s = newServer(t, w, manner, 50_000)
				if a := s.answer(bodies[0]); a.Code != http.StatusServiceUnavailable || s.refused.Load() != 1 {
					t.Errorf("without room: %d: %s", a.Code, a.Body)
				}
				if n := s.limit.Stats(); n.Bytes.InUse != 0 || n.Reserved != 0 {
					t.Errorf("%d bytes in use, %d reserved", n.Bytes.InUse, n.Reserved)
				}
			})
		}
	}
}

// TestNeeds: an upload of any size is served under a Limit of no more than its way reserves.
func TestNeeds(t *testing.T) {
	for _, w := range ways {
		for _, n := range []int64{1, 1000, 100_000, 1 << 20, 1<<20 + 1, 2_200_000, 3 << 20, 4 << 20, 4<<20 + 1, 5_800_000} {
			bodies, err := Encode(w.name, n)
			if err != nil {
				t.Fatal(err)
			}
			s := newServer(t, w, "refuse", w.need(n))
			s.Size = n
			if a := s.answer(bodies[0]); a.Code != http.StatusOK {
				t.Errorf("%s of %d bytes under %d: %d: %s", w.name, n, w.need(n), a.Code, a.Body)
			}
		}
	}
}
