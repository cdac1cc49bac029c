//go:build go1.25

package footprint

import (
	"bytes"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
)

// A counter is a Way that only counts.
type counter struct {
	sync.Mutex
	items           int
	now, most, all  int64
	written, unheld int // unheld items were given
}

func (c *counter) way() *Way {
	return &Way{Name: "counter", Open: func() Memory {
		return Memory{
			Write: func(n int) Held {
				c.Lock()
				defer c.Unlock()
				c.items++
				c.written++
				c.now += int64(n)
				c.all += int64(n)
				c.most = max(c.most, c.now)
				return Held{buffer: &n}
			},
			Give: func(h Held) {
				c.Lock()
				defer c.Unlock()
				n, _ := h.buffer.(*int)
				if n == nil || *n < 0 {
					c.unheld++
					return
				}
				c.items--
				c.now -= int64(*n)
				*n = -1
			},
		}
	}}
}

// TestLoads runs the loads without memory: each gives back what it takes, once, and counts its need.
func TestLoads(t *testing.T) {
	for i := range Loads {
		l := &Loads[i]
		t.Run(l.Name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
			var c counter
			f := Measure(l, c.way(), 0)
			if c.unheld > 0 {
				t.Errorf("%d items were given that were not held", c.unheld)
			}
			if l.Name == "a leak" {
				if share := float64(c.items) / float64(c.written); share < 0.09 || share > 0.11 {
					t.Errorf("%d of %d items were lost, want a tenth", c.items, c.written)
				}
				return
			}
			if c.items != 0 || c.now != 0 {
				t.Errorf("%d items of %d bytes were not given back", c.items, c.now)
			}
			want := c.most
			if l.Name == "kept results" { // which need memory wherever it is
				want = c.all
			}
			if f.Need != want || f.Need == 0 {
				t.Errorf("needs %d bytes, and held %d", f.Need, want)
			}
		})
	}
}

// TestFigures measures loads of which the figures are known.
func TestFigures(t *testing.T) {
	const n = 256 * kib
	for _, tt := range []struct {
		name            string
		keep            bool
		peak, idle      int64
		allocated, late int64
	}{
		{"garbage", false, n, 0, 100 * n, 25 * n},
		{"kept", true, 100 * n, 100 * n, 100 * n, 25 * n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Measure(&Load{run: func(r *run, _ *Way) {
				r.begin()
				for range 100 {
					x := r.take(n)
					r.step()
					if tt.keep {
						r.results = append(r.results, r.keep(x))
						r.drop(x)
					} else {
						r.give(x)
					}
				}
			}}, &Ways[0], 0)
			if f.Need != n {
				t.Errorf("needs %d, want %d", f.Need, n)
			}
			if f.Peak < tt.peak-n/2 { // tests before this one leave some garbage, which goes
				t.Errorf("a peak of %d, want %d or more", f.Peak, tt.peak)
			}
			for _, x := range []struct {
				name      string
				got, want int64
			}{{"allocated", f.Allocated, tt.allocated}, {"late", f.Late, tt.late}, {"idle", f.Idle, tt.idle}} {
				if x.got < x.want-n*3/2 || x.got > x.want+n+x.want/20 {
					t.Errorf("%s %d, want about %d", x.name, x.got, x.want)
				}
			}
			if f.Resident != -1 {
				t.Errorf("resident %d was read without a wait", f.Resident)
			}
		})
	}
}

// TestWays writes with each way, and looks for the bytes. Ways that are pools use the memory again.
func TestWays(t *testing.T) {
	for i := range Ways {
		w := &Ways[i]
		t.Run(w.Name, func(t *testing.T) {
			m := w.Open()
			text[0] = 'a'
			defer func() { text[0] = 0 }()
			for _, n := range []int{1, len(text), 10_000, mib} {
				a, b := m.Write(n), m.Write(n)
				if len(a.bytes) != n || a.bytes[0] != 'a' {
					t.Errorf("%d bytes, want %d that begin with the text", len(a.bytes), n)
				}
				if unsafe.SliceData(a.bytes) == unsafe.SliceData(b.bytes) {
					t.Errorf("two items of %d bytes are one", n)
				}
				m.Give(a)
				m.Give(b)
			}
			before := map[*byte]bool{}
			again := false
			for range 100 {
				x := m.Write(10_000)
				again = again || before[unsafe.SliceData(x.bytes)]
				before[unsafe.SliceData(x.bytes)] = true // so that the collector keeps it
				m.Give(x)
			}
			if again == w.Plain {
				t.Errorf("memory was used again: %v, want %v", again, !w.Plain)
			}
		})
	}
}

// TestPart measures by names, and writes figures that can be read.
func TestPart(t *testing.T) {
	var out bytes.Buffer
	if err := Part(&out, Ways, "8 KiB", "Get", 0); err != nil {
		t.Fatal(err)
	}
	var f Figures
	if err := json.Unmarshal(out.Bytes(), &f); err != nil || f.Need != 500*8*kib {
		t.Errorf("%v, %+v", err, f)
	}
	for _, names := range [][2]string{{"8 KiB", "none"}, {"none", "Get"}} {
		if err := Part(&out, Ways, names[0], names[1], 0); err == nil {
			t.Errorf("no error for the load %q and the way %q", names[0], names[1])
		}
	}
}

// TestBars has the bars of each kind of way and load.
func TestBars(t *testing.T) {
	for _, tt := range []struct {
		w    Way
		want int64
	}{{Way{Sized: true}, 26 * mib}, {Way{Name: "Pool"}, 21 * mib}, {Way{Name: "StdBufferPool"}, 21 * mib}, {Way{Name: "Append"}, 101 * mib}} {
		if got := tt.w.MostIdle(10 * mib); got != tt.want {
			t.Errorf("%+v: %d idle bytes, want %d", tt.w, got, tt.want)
		}
	}
	for i := range Loads {
		want := int64(mib)
		if Loads[i].Name == "64 Ps" {
			want = 16 * mib
		}
		if got := Loads[i].MostLate(16 * mib); got != want {
			t.Errorf("%s: %d late bytes, want %d", Loads[i].Name, got, want)
		}
	}
}
