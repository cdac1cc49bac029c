package advise

import (
	"fmt"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// isGenerated reports whether a tool has made the file of a site, so that a patch of it would be lost when the tool runs again.
func (s *source) isGenerated(site *Site) bool {
	f := s.files[s.names[site]]
	return f != nil && rewrite.IsGenerated(f.File)
}

// inGenerator says of advice on a generated file where a patch belongs, or nothing.
func (s *Site) inGenerator() string {
	if !s.generated {
		return ""
	}
	switch s.Verdict {
	case PoolIt, Reuse, Preallocate, Stack, NeedsOwner:
		return fmt.Sprintf(" %s is generated: a patch belongs in its generator.", base(s.File))
	}
	return ""
}
