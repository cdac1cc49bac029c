//go:build go1.25

package basincheck

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/guard"
)

func init() {
	level := os.Getenv(check.Variable)
	s, ok := parse(level)
	if !ok {
		fmt.Fprintf(os.Stderr, "basin: checks are off, because %s=%q is unknown: use off, sampled, sampled=N or full, the last three also with \",guard\"\n", check.Variable, level)
	}
	if s.Guard && !guard.Available {
		fmt.Fprintf(os.Stderr, "basin: %s=%s: this system has no guarded memory, so checks are %v without it\n", check.Variable, level, s.Level)
	}
	Set(s)
}

// parse reads a value of BASIN_CHECK.
func parse(level string) (s Settings, ok bool) {
	level, guarded := strings.CutSuffix(level, ",guard")
	switch level {
	case "", "off":
		return Settings{}, !guarded
	case "sampled":
		return Settings{Level: Sampled, Guard: guarded}, true
	case "full":
		return Settings{Level: Full, Guard: guarded}, true
	}
	if n, sampled := strings.CutPrefix(level, "sampled="); sampled {
		if every, err := strconv.Atoi(n); err == nil && every > 0 {
			return Settings{Level: Sampled, Every: every, Guard: guarded}, true
		}
	}
	return Settings{}, false
}
