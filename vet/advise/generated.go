package advise

import (
	"fmt"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// isGenerated reports whether a tool has made the file of a site, so that a patch of it would be lost when the tool runs again. Tool
// cgo leaves the file as it is.
func (s *source) isGenerated(site *Site) bool {
	name := s.names[site]
	f := s.files[name]
	return f != nil && s.written[s.fset.PositionFor(f.Package, false).Filename] == "" && rewrite.IsGenerated(f.File)
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
