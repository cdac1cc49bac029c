package advise

import (
	"fmt"
	"strings"
)

// muchUnowned is the share of memory without an owner from which the summary speaks of it.
const muchUnowned = 0.05

// isMostlyUnowned reports whether more memory needs an owner than pools could save as the program is.
func (r *Report) isMostlyUnowned() bool {
	return r.Unowned.Bytes >= muchUnowned && r.Unowned.Bytes > r.Gain.Bytes
}

// unownedText says how much has no owner yet, and where it goes.
func (r *Report) unownedText() string {
	u := &r.Unowned
	much := percent(u.Bytes) + " (" + bytesText(u.Bytes*r.Bytes) + r.perSecond() + ")"
	if r.isMostlyUnowned() {
		return "More needs owners: " + much + " has none yet. " + u.ways()
	}
	return much + " needs an owner first. " + u.ways()
}

// ways lists the largest ways by which memory without an owner leaves, as a sentence.
func (u *Unowned) ways() string {
	const most = 3
	var ways []string
	for _, l := range u.To[:min(len(u.To), most)] {
		ways = append(ways, percent(l.Bytes)+" "+l.How)
	}
	if more := len(u.To) - most; more > 0 {
		ways = append(ways, "the rest leaves in "+plural(more, "other way"))
	}
	return "Of all bytes, " + strings.Join(ways, "; ") + "."
}

// count notes why a site that could be pooled has no patch. Without source, none has one.
func (g *Gain) count(s *Site, tried bool) {
	switch {
	case s.Module != "":
		g.Elsewhere++
	case s.generated:
		g.Generated++
	case tried && !s.Patch:
		g.Refused++
	}
}

// withoutPatch says how many of the sites have no patch, or nothing.
func (g *Gain) withoutPatch() string {
	var parts []string
	all := 0
	for _, p := range []struct {
		n  int
		of string
	}{{g.Elsewhere, " in other modules"}, {g.Generated, " in generated files"}, {g.Refused, " for the reason that the line has"}} {
		if all += p.n; p.n > 0 {
			parts = append(parts, fmt.Sprint(p.n, p.of))
		}
	}
	switch all {
	case 0:
		return ""
	case 1:
		return "1 of these sites has no patch: " + strings.Join(parts, ", ") + "."
	}
	return fmt.Sprintf("%d of these sites have no patch: %s.", all, strings.Join(parts, ", "))
}

// atMost bounds a saving.
func atMost(share float64) string {
	const little = 0.005
	if share < little {
		return "<0.5 %"
	}
	return "at most " + percent(share)
}
