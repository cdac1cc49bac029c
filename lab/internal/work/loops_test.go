package work

import (
	"strings"
	"testing"

	"github.com/basin-go/basin/lab/internal/subjects"
)

// TestLoopsAreReached checks that each loop belongs to a subject and to a workload.
func TestLoopsAreReached(t *testing.T) {
	named := map[string]bool{}
	for _, w := range All() {
		if name, ok := strings.CutPrefix(w.Name, LoopPrefix); ok {
			named[name] = true
		}
	}
	for subject, all := range loops {
		s, err := subjects.Named(subject)
		if err != nil {
			t.Error(err)
			continue
		}
		for name := range all {
			if !named[name] {
				t.Errorf("%s has a loop %q, which no workload is", subject, name)
				continue
			}
			if w, err := Named(LoopPrefix + name); err != nil || !w.Can(s) {
				t.Errorf("%s cannot do %q: %v", subject, name, err)
			}
		}
	}
}
