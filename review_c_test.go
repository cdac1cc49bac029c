//go:build go1.25

package basin

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin/basincheck"
)

func waitCredits(t *testing.T, l *Limit, p *BytePool) {
	for end := time.Now().Add(3 * time.Second); l.over == nil || l.begunCredits() == 0; {
		b, _ := p.GetContext(context.Background(), 4096)
		p.Put(b)
		runtime.Gosched()
		if time.Now().After(end) {
			t.Skip("no credits")
		}
	}
}

func (l *Limit) begunCredits() int {
	n := 0
	for i := range 64 {
		if l.over.quota.Credit(uint(i)) != nil {
			n++
		}
	}
	return n
}

// SetMax below what is in use: then nobody gets any until enough of it is back.
func TestReviewSetMaxAgainstCredits(t *testing.T) {
	l := &Limit{Max: 64 << 20}
	p := &BytePool{Limit: l}
	held := p.Get(8 << 20)
	waitCredits(t, l, p)
	for range 20000 {
		p.Put(p.Get(4096))
	}
	t.Log(l.begunCredits(), l.over.quota.Taken())
	l.SetMax(1 << 20)
	n := 0
	for range 20 {
		if _, ok := p.TryGet(4096); ok {
			n++
		}
	}
	if n > 0 {
		s := l.Stats().Bytes
		t.Errorf("%d of 20 got memory with %d in use under %d", n, s.InUse, s.MaxInUse)
	}
	p.Put(held)
}

// Values beyond the limit: others are refused.
func TestReviewForceAgainstCredits(t *testing.T) {
	l := &Limit{Max: 64 << 20}
	p := &BytePool{Limit: l}
	std := &StdBufferPool{Limit: l, MaxSize: 256 << 20, InitialSize: 100 << 20}
	waitCredits(t, l, p)
	for range 20000 {
		p.Put(p.Get(4096))
	}
	b := std.Get()
	if _, ok := p.TryGet(4096); ok {
		s := l.Stats().Bytes
		t.Errorf("got memory with %d in use under %d", s.InUse, s.MaxInUse)
	}
	std.Put(b)
}

// Nothing goes beyond, but credits count.
func TestReviewFalseBeyond(t *testing.T) {
	l := &Limit{Max: 64 << 20}
	p := &BytePool{Limit: l}
	std := &StdBufferPool{Limit: l, MaxSize: 256 << 20, InitialSize: 64 << 20}
	waitCredits(t, l, p)
	var bs [][]byte
	for range 20 {
		bs = append(bs, p.Get(4096))
	}
	for _, b := range bs {
		p.Put(b)
	}
	b := std.Get()
	if s := l.Stats(); s.Bytes.InUse <= s.Bytes.MaxInUse && (s.Waits.Refused > 0 || s.Beyond > 0) {
		t.Errorf("beyond %d, in use %d of %d", s.Beyond, s.Bytes.InUse, s.Bytes.MaxInUse)
	}
	std.Put(b)
}

// A storm of everything; the accounts are exact at the end.
func TestReviewStorm(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	root := &Limit{Name: "root", Max: 32 << 20}
	ten := &Limit{Name: "tenant", Max: 16 << 20, Within: root}
	a := &BytePool{Name: "a", Limit: root}
	b := &BytePool{Name: "b", Limit: ten, MaxInUse: 12 << 20, Zero: true}
	c := &BytePool{Name: "c", Limit: ten, MaxSize: 64 << 10, Adopts: true}
	pools := []*BytePool{a, b, c}
	limits := []*Limit{root, ten}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			switch i % 8 {
			case 0:
				root.SetMax(int64(8+rand.IntN(32)) << 20)
			case 1:
				ten.SetMax(int64(4+rand.IntN(16)) << 20)
			case 2:
				runtime.GOMAXPROCS(1 + rand.IntN(8))
			case 3:
				runtime.GC()
			case 4:
				basincheck.Set(basincheck.Settings{Level: []basincheck.Level{basincheck.Sampled, basincheck.Full}[rand.IntN(2)], Handler: func(r *basincheck.Report) { t.Log(r) }})
			case 6:
				basincheck.Set(basincheck.Settings{})
			}
		}
	})
	var work sync.WaitGroup
	for range 24 {
		work.Go(func() {
			for range 1500 {
				p := pools[rand.IntN(3)]
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(3000))*time.Microsecond)
				var r *Reservation
				q := p
				if rand.IntN(2) == 0 {
					l := limits[rand.IntN(2)]
					var err error
					if r, err = l.Acquire(ctx, int64(rand.IntN(4<<20))); err == nil {
						q = r.Pool(p)
					}
				}
				n := rand.IntN(200 << 10)
				switch rand.IntN(8) {
				case 0:
					if x, err := q.GetContext(ctx, n); err == nil {
						if rand.IntN(2) == 0 {
							r.Release()
						}
						q.Put(x)
					}
				case 1:
					if x, ok := q.TryGet(n); ok {
						p.Put(x)
					}
				case 2:
					q.Put(q.Get(n))
				case 3:
					x, err := q.ReadAll(io.LimitReader(zeros{}, int64(n)))
					if err == nil {
						if rand.IntN(4) == 0 {
							q.Forget(x)
						} else {
							q.Put(x)
						}
					} else if !errors.Is(err, ErrLimit) {
						t.Error(err)
					}
				case 4:
					w := q.NewBuffer()
					for range 10 {
						if _, err := w.Write(make([]byte, n/10+1)); err != nil && !errors.Is(err, ErrLimit) {
							t.Error(err)
						}
					}
					switch rand.IntN(3) {
					case 0:
						q.Put(w.Detach())
					case 1:
						s := w.Share()
						r.Release()
						s.Release()
					default:
						w.Free()
					}
				case 5:
					x := q.Append(nil, make([]byte, n/2+1)...)
					x = q.Append(x, make([]byte, n/2+1)...)
					q.Put(x)
				case 6:
					q.Copy(io.Discard, onlyR{io.LimitReader(zeros{}, int64(n))})
				case 7:
					q.Get(n) // lost
				}
				r.Release()
				cancel()
			}
		})
	}
	work.Wait()
	close(stop)
	wg.Wait()
	basincheck.Set(basincheck.Settings{})
	for range 100 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
		if root.Stats().Bytes.InUse == 0 && ten.Stats().Bytes.InUse == 0 && b.Stats().Bytes.InUse == 0 {
			break
		}
	}
	for _, l := range limits {
		if s := l.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 || s.Waits.Waiting != 0 {
			t.Errorf("%s: %+v reserved %d waiting %d", l.Name, s.Bytes, s.Reserved, s.Waits.Waiting)
		}
	}
	for _, p := range pools {
		if s := p.Stats(); s.Bytes.InUse != 0 || s.Items.InUse != 0 || s.Waits.Waiting != 0 {
			t.Errorf("%s: %+v items %+v outside %+v lost %+v", p.Name, s.Bytes, s.Items, s.OutsideInUse, s.Lost)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return min(len(b), 5000), nil }

// Buffers without room: contents intact, accounts exact.
func TestReviewBuffersFull(t *testing.T) {
	for _, most := range []int64{64, 1000, 5000, 70_000, 300_000} {
		l := &Limit{Max: most}
		p := &BytePool{Limit: l}
		var want bytes.Buffer
		b := p.NewBuffer()
		rng := rand.New(rand.NewPCG(1, uint64(most)))
		refused := 0
		for range 20000 {
			n := rng.IntN(1 + rng.IntN(1+int(most)))
			data := bytes.Repeat([]byte{byte(rng.IntN(256))}, n)
			switch rng.IntN(8) {
			case 0:
				if _, err := b.Write(data); err == nil {
					want.Write(data)
				} else {
					refused++
				}
			case 1:
				if n, err := b.WriteString(string(data)); err == nil {
					want.Write(data)
				} else if n != 0 {
					t.Fatal(n)
				}
			case 2:
				if err := b.WriteByte(7); err == nil {
					want.WriteByte(7)
				}
			case 3:
				r := rune(rng.IntN(0x11000))
				if n, err := b.WriteRune(r); err == nil {
					want.WriteRune(r)
				} else if n != 0 {
					t.Fatal(n)
				}
			case 4:
				m, err := b.ReadFrom(onlyR{bytes.NewReader(data)})
				if err == nil && int(m) != n {
					t.Fatal(m, n)
				}
				want.Write(data[:m])
			case 5:
				if m, err := fmt.Fprintf(b, "%d%s", n, "xyz"); err == nil {
					fmt.Fprintf(&want, "%d%s", n, "xyz")
				} else if m != 0 {
					t.Fatal(m)
				}
			case 6:
				m := rng.IntN(1 + 2*b.Len())
				x := bytes.Clone(b.Next(m))
				if !bytes.Equal(x, want.Next(m)) {
					t.Fatal("Next differs")
				}
			case 7:
				if rng.IntN(10) == 0 {
					b.Reset()
					want.Reset()
				}
				if rng.IntN(10) == 0 {
					x := b.Detach()
					if !bytes.Equal(x, want.Bytes()) {
						t.Fatal("Detach differs")
					}
					p.Put(x)
					want.Reset()
				}
			}
			if !bytes.Equal(b.Bytes(), want.Bytes()) {
				t.Fatalf("contents differ")
			}
			if s := l.Stats(); s.Bytes.InUse > most && s.Beyond == 0 && s.Waits.Beyond == 0 {
				t.Fatalf("in use %d of %d", s.Bytes.InUse, most)
			}
		}
		if refused == 0 {
			t.Error("nothing refused")
		}
		b.Free()
		if s := l.Stats(); s.Bytes.InUse != 0 {
			t.Errorf("%d in use", s.Bytes.InUse)
		}
	}
	// encoders
	l := &Limit{Max: 4096}
	p := &BytePool{Limit: l}
	b := p.NewBuffer()
	if err := json.NewEncoder(b).Encode(strings.Repeat("x", 10000)); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	z := gzip.NewWriter(b)
	var err error
	for range 1000 {
		x := make([]byte, 4096)
		for i := range x {
			x[i] = byte(rand.Uint32())
		}
		if _, err = z.Write(x); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	b.Free()
	if s := l.Stats(); s.Bytes.InUse != 0 {
		t.Errorf("%d in use", s.Bytes.InUse)
	}
}

// The table of docs/limits.md: what to reserve for n bytes.
func TestReviewReserveTable(t *testing.T) {
	worst := map[string]float64{}
	at := map[string]int{}
	p := &BytePool{}
	_ = p
	for _, n := range []int{1, 10, 63, 65, 100, 129, 200, 257, 500, 513, 1025, 2049, 4097, 5000, 10000, 20481, 32769, 65537, 100000, 131073, 1<<20 - 511, 1<<20 + 1, 3 << 20, 4<<20 - 100, 4<<20 + 1, 5<<20 + 3} {
		run := func(way string, most int64, f func(p *BytePool) error) {
			l := &Limit{Max: most}
			p := &BytePool{Limit: l}
			r, err := l.Acquire(context.Background(), most)
			if err != nil {
				t.Fatal(err)
			}
			if err := f(r.Pool(p)); err != nil {
				t.Errorf("%s of %d bytes with %d reserved, and no more room: %v", way, n, most, err)
			}
			r.Release()
		}
		N := int64(n)
		run("TryGet", N+N/4, func(p *BytePool) error {
			if _, ok := p.TryGet(n); !ok {
				return errors.New("refused")
			}
			return nil
		})
		run("ReadAllSize", N+N/4+512, func(p *BytePool) error {
			_, err := p.ReadAllSize(io.LimitReader(zeros{}, N), N)
			return err
		})
		run("Grow", N+N/4, func(p *BytePool) error {
			b := p.NewBuffer()
			b.Grow(n + bytes.MinRead)
			if p.Limit.Stats().Waits.Beyond > 0 {
				return errors.New("beyond")
			}
			_, err := b.ReadFrom(io.LimitReader(zeros{}, N))
			return err
		})
		run("Buffer", 3*N, func(p *BytePool) error {
			_, err := p.NewBuffer().ReadFrom(io.LimitReader(zeros{}, N))
			return err
		})
		run("ReadAll", 4*N, func(p *BytePool) error {
			_, err := p.ReadAll(io.LimitReader(zeros{}, N))
			return err
		})
	}
	_, _ = worst, at
}
