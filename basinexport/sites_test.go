//go:build go1.25

package basinexport_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// Some lines that take from pools.

func lineA(p *basin.BytePool) []byte { return p.Get(100) }
func lineB(p *basin.BytePool) []byte { return p.Get(100) }
func lineC(p *basin.BytePool) []byte { return p.Get(100) }

func readSites(r *basinexport.SiteReader) string {
	var all []string
	for s := range r.All() {
		name := s.Site
		if name != basinexport.OtherSites {
			function, at, _ := strings.Cut(name, " ")
			if !strings.HasPrefix(at, "sites_test.go:") {
				name = "at " + at
			} else {
				name = s.Pool + " " + function[strings.LastIndex(function, ".")+1:]
			}
		}
		all = append(all, fmt.Sprintf("%s %d %d %d", name, s.Gets, s.Puts, s.Leaks))
	}
	return strings.Join(all, ", ")
}

// TestSiteReader has lines that put back and lines that do not, more than there are places for.
func TestSiteReader(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{Name: "p"}
	all, few := new(basinexport.SiteReader), &basinexport.SiteReader{Max: 1}
	expect := func(wantAll, wantFew string) {
		t.Helper()
		if got := readSites(all); got != wantAll {
			t.Errorf("all are %s, want %s", got, wantAll)
		}
		if got := readSites(few); got != wantFew {
			t.Errorf("one and the others are %s, want %s", got, wantFew)
		}
	}
	expect("", "")
	a := lineA(p)
	p.Put(lineB(p))
	expect("p lineA 1 0 0, p lineB 1 1 0", "p lineA 1 0 0, other 1 1 0")
	p.Put(a)
	p.Put(lineA(p))
	c := lineC(p)
	expect("p lineA 2 2 0, p lineB 1 1 0, p lineC 1 0 0", "p lineA 2 2 0, other 2 1 0")

	lineB(p)
	testenv.CollectUntil(func() bool { return p.Stats().Misuse[basincheck.Leak] == 1 })
	// Now line B has the place, from now on; the sum of all has not gone back.
	expect("p lineA 2 2 0, p lineB 2 1 1, p lineC 1 0 0", "p lineB 1 0 1, other 4 3 0")
	p.Put(c)
	p.Put(lineA(p))
	expect("p lineA 3 3 0, p lineB 2 1 1, p lineC 1 1 0", "p lineB 1 0 1, other 5 5 0")

	// Without checks nothing more is counted, and with new ones it goes on.
	basincheck.Set(basincheck.Settings{})
	p.Put(lineA(p))
	expect("p lineA 3 3 0, p lineB 2 1 1, p lineC 1 1 0", "p lineB 1 0 1, other 5 5 0")
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p.Put(lineA(p))
	p.Put(lineB(p))
	expect("p lineA 4 4 0, p lineB 3 2 1, p lineC 1 1 0", "p lineB 2 1 1, other 6 6 0")
}

// TestSiteReaderBound has very many lines.
func TestSiteReaderBound(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	var held [][]byte
	for i := range 100 {
		p := &basin.BytePool{Name: fmt.Sprint("pool ", i)}
		held = append(held, p.Get(100))
	}
	r := new(basinexport.SiteReader)
	n, gets := 0, uint64(0)
	for s := range r.All() {
		n++
		gets += s.Gets
	}
	if n != basinexport.DefaultMaxSites+1 || gets != uint64(len(held)) {
		t.Errorf("%d lines with %d gets, want %d and the others, with %d", n, gets, basinexport.DefaultMaxSites, len(held))
	}
}
