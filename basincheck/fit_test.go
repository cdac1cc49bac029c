//go:build go1.25

package basincheck_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestSitesShowAsked has a line leak while best fit serves its requests with slices of larger classes: the line is
// one site, and one finding, with the class of the size that was asked for.
func TestSitesShowAsked(t *testing.T) {
	for _, s := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Sampled, Every: 3}} {
		basincheck.Set(basincheck.Settings{})
		p := &basin.BytePool{Name: fmt.Sprint(t.Name(), s.Level, s.Every)}
		var larger [][]byte
		for range 200 {
			larger = append(larger, p.Get(1500), p.Get(2000), p.Get(3000))
		}
		for _, b := range larger {
			p.Put(b)
		}
		pooltest.BeginChecks(t, s)
		fitted := 0
		var held [][]byte
		for i := range 600 {
			b := p.Get(1000)
			if cap(b) > 1024 {
				fitted++
			}
			if i%2 == 0 {
				held = append(held, b)
			}
		}
		if s.Every == 3 && fitted == 0 {
			t.Error("nothing was served by a larger class")
		}
		testenv.CollectUntil(func() bool { return p.Stats().Misuse[basincheck.Leak] > 0 })
		testenv.RunCleanups()
		sites := slices.DeleteFunc(basincheck.Sites(), func(x basincheck.Site) bool { return x.Pool != p.Name })
		if len(sites) != 1 || sites[0].Leaks == 0 || sites[0].Items == 0 || sites[0].Bytes != 1024*sites[0].Items {
			t.Errorf("%+v: sites are %+v, want one, with slices of 1024 bytes", s, sites)
		}
		found := slices.DeleteFunc(basincheck.Found(), func(r *basincheck.Report) bool { return r.Pool != p.Name })
		if len(found) != 1 || found[0].Size != 1024 {
			t.Errorf("%+v: found %v, want one leak of 1024 bytes", s, found)
		}
		runtime.KeepAlive(held)
	}
}
