//go:build go1.25

package metamorphic

import (
	"strings"
	"testing"

	"github.com/basin-go/basin"
)

// TestTightPrograms: programs with tight limits meet them in every way: they are refused, go beyond, reserve, draw from
// reservations, and write into Buffers without room.
func TestTightPrograms(t *testing.T) {
	found := make(map[string]int)
	for seed := uint64(0); seed < 400; seed++ {
		p := generate(seed)
		if !p.tight {
			continue
		}
		o := p.runWith(configs[0], nil)
		if o.err != "" {
			t.Fatalf("seed %d: %s", seed, o.err)
		}
		for _, op := range p.ops {
			if r := o.ops[op.index]; strings.Contains(r, basin.ErrLimit.Error()) || strings.Contains(r, "no room for") || r == "refused" {
				found[op.kind.name]++
			}
		}
		for name, figures := range o.figures {
			if strings.HasSuffix(name, ".Waits") && !strings.HasSuffix(figures, " 0") {
				found["beyond"]++
			}
		}
	}
	for _, way := range []string{"TryGet", "GetContext", "ReadAll", "Acquire", "view", "method", "beyond"} {
		if found[way] == 0 {
			t.Errorf("no program meets a limit by %s", way)
		}
	}
	t.Log(found)
}
