//go:build go1.25

package basin_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestCheckFixedPool(t *testing.T) {
	type kind = basincheck.Kind
	for _, tt := range []struct {
		name   string
		zero   bool
		do     func(p *basin.FixedPool)
		want   []kind
		offset int
	}{
		{"get and put", false, func(p *basin.FixedPool) { p.Put(p.Get()); p.Put(p.Get()) }, nil, 0},
		{"put of nil", false, func(p *basin.FixedPool) { p.Put(nil) }, nil, 0},
		{"put of one too many", false, func(p *basin.FixedPool) {
			var all [][]byte
			for range p.Count + 1 {
				all = append(all, p.Get())
			}
			for _, b := range all {
				p.Put(b)
			}
		}, nil, 0},
		{"put twice", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b); p.Put(b) }, []kind{basincheck.DoublePut}, 0},
		{"interior", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b[3:]); p.Put(b) }, []kind{basincheck.InteriorPut}, 3},
		{"foreign", false, func(p *basin.FixedPool) { p.Put(make([]byte, 100)) }, []kind{basincheck.ForeignPut}, 0},
		{"of another pool", false, func(p *basin.FixedPool) { p.Put(basin.Get(100)) }, []kind{basincheck.WrongPool}, 0},
		{"into another pool", false, func(p *basin.FixedPool) { b := p.Get(); (&basin.BytePool{}).Put(b); p.Put(b) }, []kind{basincheck.WrongPool}, 0},
		{"written after put, then verified", false, func(p *basin.FixedPool) { b := p.Get(); p.Put(b); b[9] = 1; basincheck.Verify(); basincheck.Verify() }, []kind{basincheck.WriteAfterPut}, 9},
		{"written after put, then handed out", false, func(p *basin.FixedPool) {
			b := p.Get()
			p.Put(b)
			b[9] = 1
			for range p.Count {
				p.Get()
			}
		}, []kind{basincheck.WriteAfterPut}, 9},
		{"written after put, of a pool that zeroes", true, func(p *basin.FixedPool) {
			b := p.Get()
			b[0] = 7
			p.Put(b)
			b[9] = 1
			basincheck.Verify()
		}, []kind{basincheck.WriteAfterPut}, 9},
		{"zeroed", true, func(p *basin.FixedPool) {
			for range 2 * p.Count {
				b := p.Get()
				if !bytes.Equal(b, make([]byte, len(b))) {
					t.Errorf("not zero: %v", b[:8])
				}
				b[0] = 1
				p.Put(b)
			}
		}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := pooltest.BeginChecks(t, pooltest.FullChecking)
			p := &basin.FixedPool{Count: 4, Size: 100}
			p.Name, p.Zero = "fixed", tt.zero
			tt.do(p)
			basincheck.Verify()
			got := told.Take()
			if !slices.Equal(pooltest.Kinds(got), tt.want) {
				t.Fatalf("reported %v, want %v\n%v", pooltest.Kinds(got), tt.want, got)
			}
			if len(got) > 0 && got[0].Offset != tt.offset {
				t.Errorf("offset %d, want %d", got[0].Offset, tt.offset)
			}
		})
	}
}

func TestCheckFixedPoolCounts(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.FixedPool{Count: 2, Size: 100}
	p.Name = t.Name()
	b := p.Get()
	s := slices.DeleteFunc(basincheck.Outstanding(), func(s basincheck.Site) bool { return s.Pool != t.Name() }) // garbage of others
	if len(s) != 1 || s[0].Bytes != 100 {
		t.Errorf("in use: %+v", s)
	}
	p.Put(b)
	p.Put(b)
	if s := p.Stats(); s.Misuse[basincheck.DoublePut] != 1 || s.Drops.Double != 1 || s.Items.Idle != 2 {
		t.Errorf("stats: %+v", s)
	}
}

// TestCheckFixedPoolKeepsBuffers: if a handler panics at each report, the pool loses no buffers.
func TestCheckFixedPoolKeepsBuffers(t *testing.T) {
	for _, zero := range []bool{false, true} {
		for _, get := range []struct {
			name string
			get  func(p *basin.FixedPool) []byte
		}{
			{"Get", (*basin.FixedPool).Get},
			{"TryGet", func(p *basin.FixedPool) []byte { b, _ := p.TryGet(); return b }},
			{"GetContext", func(p *basin.FixedPool) []byte { b, _ := p.GetContext(t.Context()); return b }},
		} {
			pooltest.BeginChecks(t, pooltest.FullChecking)
			basincheck.Set(pooltest.FullChecking) // without a handler, so it panics
			p := &basin.FixedPool{Count: 4, Size: 64}
			p.Zero = zero
			reports := 0
			for range 20 {
				func() {
					defer func() {
						if recover() != nil {
							reports++
						}
					}()
					b := get.get(p)
					if zero && !bytes.Equal(b, make([]byte, 64)) {
						t.Errorf("%s: not zero", get.name)
					}
					p.Put(b)
					b[3] = 1
				}()
			}
			if reports < 5 {
				t.Errorf("%s: %d reports", get.name, reports)
			}
			if s := p.Stats(); s.Items.Idle != 4 || s.Items.InUse != 0 {
				t.Errorf("%s: %d idle, %d in use, want 4 and 0", get.name, s.Items.Idle, s.Items.InUse)
			}
		}
	}
}
