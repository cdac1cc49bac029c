//go:build go1.25

package memory_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/basin-go/basin/internal/footprint"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestFootprint holds each way of basin to the bars of each load. Each pair of them is measured in a
// process of its own. All figures are in docs/benchmarks.md.
func TestFootprint(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no processes here")
	}
	const mib = 1 << 20
	for _, l := range footprint.Loads {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			plain := map[bool]footprint.Figures{}
			for _, w := range footprint.Ways {
				f := measured(t, l.Name, w.Name)
				if w.Plain {
					plain[w.Sized] = f
					continue
				}
				if w.Name == "sync.Pool" {
					continue
				}
				p := plain[w.Sized]
				t.Logf("%-14s need %5.2f MiB: peak %5.2f (%.2f without a pool), allocated %6.1f (%.1f), late %.3f, idle %.2f",
					w.Name, float64(f.Need)/mib, float64(f.Peak)/mib, float64(p.Peak)/mib,
					float64(f.Allocated)/mib, float64(p.Allocated)/mib, float64(f.Late)/mib, float64(f.Idle)/mib)
				if l.Kind == footprint.Bimodal && f.Peak > 2*p.Peak+16*mib {
					t.Errorf("%s: a peak of %d bytes, without a pool %d", w.Name, f.Peak, p.Peak)
				}
				if l.Kind == footprint.Bimodal && f.Allocated > p.Allocated {
					t.Errorf("%s: allocates %d bytes, without a pool %d", w.Name, f.Allocated, p.Allocated)
				}
				if l.Kind == footprint.OneSize && (f.Late > l.MostLate(f.Need) || f.Peak > max(2*f.Need, p.Peak+p.Peak/2)+2*mib) {
					t.Errorf("%s: allocates %d bytes once warm, and has a peak of %d for %d", w.Name, f.Late, f.Peak, f.Need)
				}
				if most := w.MostIdle(f.Need); f.Idle > most {
					t.Errorf("%s: %d bytes are idle, for a need of %d, want at most %d", w.Name, f.Idle, f.Need, most)
				}
			}
		})
	}
}

// measured measures a load with a way, in another process.
func measured(t *testing.T, load, way string) (f footprint.Figures) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), footprintVariable+"="+load+";"+way)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s", load, way, err, out)
	}
	return f
}
