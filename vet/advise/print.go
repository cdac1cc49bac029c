package advise

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// width is that of a terminal.
const width = 80

// summarize states the largest possible gain.
func (r *Report) summarize() {
	gc := r.sum()
	g := &r.Gain
	all := bytesText(r.Bytes) + r.perSecond()
	switch {
	case g.Sites == 0 && r.Unowned.Bytes >= muchUnowned:
		r.Summary = append(r.Summary, fmt.Sprintf("No site can be pooled as it is, but %s of the %s that the program allocates only lack an owner, who would put the memory back.", percent(r.Unowned.Bytes), all))
	case g.Sites == 0 && r.Unseen >= muchUnowned:
		r.Summary = append(r.Summary, fmt.Sprintf("Of the %s that the program allocates, no site is known to be fit for a pool.", all))
	case g.Sites == 0:
		r.Summary = append(r.Summary, fmt.Sprintf("Pooling would gain nothing here: of %s that the program allocates, no site can be pooled as it is.", all))
	case g.Bytes*gc < 0.01 && !r.isMostlyUnowned():
		r.Summary = append(r.Summary, fmt.Sprintf("Pooling is not worth it here: it could save %s of the %s that the program allocates, but less than 1 %% of the CPU time, and the program would not need less memory.", atMost(g.Bytes), all))
	default:
		text := fmt.Sprintf("Pooling %s could save %s of the %s that the program allocates, and the same share of its collections", plural(g.Sites, "site"), atMost(g.Bytes), all)
		if r.Collections > 0 {
			text += fmt.Sprintf(" (%.0f of %.0f in %.0f s would be left)", g.Left, r.Collections, r.Seconds)
		}
		if g.CPU != nil {
			text += fmt.Sprintf(", and %s of its CPU time", percent(*g.CPU))
		}
		r.Summary = append(r.Summary, text+".")
		if r.isMostlyUnowned() {
			r.Summary = append(r.Summary, r.unownedText())
		}
		if g.IdleBytes > 0 {
			r.Summary = append(r.Summary, fmt.Sprintf("The pools would keep up to about %s idle for that.", bytesText(g.IdleBytes)))
		}
	}
	if text := g.withoutPatch(); text != "" {
		r.Summary = append(r.Summary, text)
	}
	r.summarizePreallocated()
	switch {
	case r.Unowned.Bytes < muchUnowned || g.Sites > 0 && r.isMostlyUnowned():
	case g.Sites > 0:
		r.Summary = append(r.Summary, r.unownedText())
	default:
		r.Summary = append(r.Summary, r.Unowned.ways())
	}
	if r.Unseen >= muchUnowned {
		r.Summary = append(r.Summary, fmt.Sprintf("Another %s could come from pools if nothing kept the memory, which only the source shows.", percent(r.Unseen)))
	}
	if r.GCShare == nil {
		r.Summary = append(r.Summary, "The collector's share of the CPU time is not known; -for, -bench and -cpu measure it.")
	} else {
		r.Summary = append(r.Summary, fmt.Sprintf("The collector takes %s of the CPU time.", percent(*r.GCShare)))
	}
	if r.Seconds == 0 {
		r.Summary = append(r.Summary, "One profile has no rates and no ages; name a second one, taken some time later.")
	}
}

// summarizePreallocated counts the sites that have a patch without a pool, which gives memory its size at once.
func (r *Report) summarizePreallocated() {
	sites, bytes := 0, 0.0
	for _, s := range r.Sites {
		if s.Verdict == Preallocate && s.Patch {
			sites++
			bytes += s.Share
		}
	}
	if sites > 0 {
		r.Summary = append(r.Summary, fmt.Sprintf("The patch gives the memory of %s its size at once, where %s grows now.", plural(sites, "site"), percent(bytes)))
	}
}

// sum adds up the sites, and returns the collector's share of the CPU time, or the most that it may be.
func (r *Report) sum() (gc float64) {
	g := &r.Gain
	for _, s := range r.Sites {
		if s.unseen && s.Verdict == NotJudged {
			r.Unseen += s.Share
		}
		switch s.Verdict {
		case PoolIt, Reuse:
			g.Sites++
			g.count(s, r.tried)
			g.Bytes += s.Share * s.saved()
			if g.IdleBytes += s.liveBytes; s.liveBytes == 0 && s.Age != nil {
				g.IdleBytes += s.Age.Max * s.Bytes
			}
		}
	}
	g.Left = r.Collections * (1 - g.Bytes)
	gc = maxCollector
	if r.GCShare != nil {
		gc = *r.GCShare
		cpu := g.Bytes * gc
		g.CPU = &cpu
	}
	r.Unowned = unowned(r.Sites)
	return gc
}

// saved is the share of a site's bytes that pooling can save at most. Where a caller gets a copy, that is as large as the last
// array was needed for: larger than the array before it.
func (s *Site) saved() float64 {
	if s.found == nil || len(s.found.copies) == 0 {
		return s.ofResult()
	}
	var copied float64
	for i := 1; i < len(s.Sizes); i++ {
		last := s.Sizes[i].Objects
		if i+1 < len(s.Sizes) {
			last -= s.Sizes[i+1].Objects
		}
		copied += max(last, 0) * float64(s.Sizes[i-1].Size)
	}
	return max(1-copied/s.Bytes, 0)
}

// unowned sums the sites that need an owner, by where their memory goes.
func unowned(sites []*Site) (u Unowned) {
	for _, s := range sites {
		if s.Verdict != NeedsOwner {
			continue
		}
		u.Bytes += s.Share
		how := s.found.fate.end()
		i := slices.IndexFunc(u.To, func(l Leaving) bool { return l.How == how })
		if i < 0 {
			i, u.To = len(u.To), append(u.To, Leaving{How: how})
		}
		u.To[i].Bytes += s.Share
	}
	slices.SortStableFunc(u.To, func(a, b Leaving) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return u
}

// maxCollector is the largest share of the collector in a program that is not starved.
const maxCollector = 0.25

// print writes a table of the largest sites.
func (r *Report) print(w io.Writer, top int) error {
	out := bufio.NewWriter(w)
	wrap(out, strings.Join(r.Summary, " "), 0)
	for _, n := range r.Notes {
		text, command, _ := strings.Cut(n, "\n")
		if wrap(out, printableLong(text), 0); command != "" { // which is no command any more if it is wrapped
			fmt.Fprintf(out, "\t%s\n", printableLong(command))
		}
	}
	fmt.Fprintf(out, "\n%7s %10s %8s %13s  %s\n", "SHARE", "BYTES"+strings.ToUpper(r.perSecond()), "SIZE", "AGE", "VERDICT AND PLACE")
	left, share := 0, 0.0
	for i, s := range r.Sites {
		if top > 0 && (i >= top || i >= 3 && s.Share < 0.001) {
			left, share = left+1, share+s.Share
			continue
		}
		s.print(out)
	}
	if left > 0 {
		fmt.Fprintf(out, "%7s in %s.\n", percent(share), plural(left, "more site"))
	}
	if r.Elsewhere >= 0.001 {
		fmt.Fprintf(out, "%7s in goroutines that run no line of this program.\n", percent(r.Elsewhere))
	}
	for i, p := range r.Pools {
		if i == 0 {
			io.WriteString(out, "\nPools that are there already\n")
		}
		name := p.Kind
		if p.Name != "" {
			name += " " + p.Name
		}
		wrap(out, printable(name)+": "+string(p.Verdict), 2)
		wrap(out, printableLong(strings.Join(p.Reasons, " ")), indent)
		for _, place := range p.Places {
			wrap(out, printableLong(place), indent)
		}
	}
	return out.Flush()
}

// print prints a line of the table, and the reason.
func (s *Site) print(out *bufio.Writer) {
	fmt.Fprintf(out, "%7s %10s %8s %13s  %s\n", percent(s.Share), bytesText(s.Bytes), bytesText(s.pieceSize()), s.ageText(), s.Verdict)
	where := s.where()
	if how := s.how(); how != "" {
		where += ", " + printable(how)
	}
	if len(s.Lines) > 0 {
		how := "; it grows at "
		if s.kind == kindAppend { // of which one may make it
			how = "; also at "
		}
		where += how + strings.Join(s.Lines[:min(len(s.Lines), 5)], ", ")
		if more := len(s.Lines) - 5; more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
	}
	if len(s.First) > 0 {
		where += "; its first array is made at " + strings.Join(s.First, ", ")
	}
	if s.Copies > 0 {
		where += "; the line is compiled into " + plural(s.Copies, "function")
	}
	wrap(out, where, indent)
	text := printableLong(s.Reason)
	if s.Escape != "" {
		text += " It is on the heap because of " + printableLong(s.Escape) + "."
	}
	if s.Call != "" {
		text += " Use " + s.Call
		if s.Patch {
			text += ", as -diff shows"
		}
		text += "."
	}
	if s.Samples < fewSamples && s.Verdict != NotJudged {
		text += fmt.Sprintf(" It has only %s.", plural(s.Samples, "sample"))
	}
	wrap(out, text, indent)
}

// where names the place of a site, with its package if that is of another module, or if another has the same name.
func (s *Site) where() string {
	at := printable(s.short()) + " at " + printable(base(s.File)) + fmt.Sprintf(":%d", s.Line)
	switch {
	case s.elsewhere:
		return at + " in " + printable(s.pkg) + " (another module)"
	case s.ambiguous:
		return at + " in " + printable(s.pkg)
	}
	return at
}

// qualify finds the sites whose function or file has the name of one in another package.
func (r *Report) qualify() {
	packages := map[string]string{} // by the names of functions and files
	several := map[string]bool{}
	each := func(s *Site, note func(name string)) {
		note(s.short())
		note(base(s.File))
	}
	for _, s := range r.Sites {
		each(s, func(name string) {
			pkg, known := packages[name]
			several[name] = several[name] || known && pkg != s.pkg
			packages[name] = s.pkg
		})
	}
	for _, s := range r.Sites {
		each(s, func(name string) { s.ambiguous = s.ambiguous || several[name] })
	}
}

const indent = 8

// how names the manner of allocating, and the standard function that does it.
func (s *Site) how() string {
	switch {
	case s.Kind == string(kindOther):
		return s.Calls
	case s.Calls == "" || strings.HasSuffix(s.Kind, s.Calls):
		return s.Kind
	}
	return s.Kind + " by " + s.Calls
}

// wrap writes text in lines that fit.
func wrap(w io.Writer, text string, indent int) {
	column := 0
	for word := range strings.FieldsSeq(text) {
		for room := width - indent; len([]rune(word)) > room; word = string([]rune(word)[room:]) {
			if column > 0 {
				io.WriteString(w, "\n")
			}
			fmt.Fprintf(w, "%*s%s\n", indent, "", string([]rune(word)[:room]))
			column = 0
		}
		length := len([]rune(word))
		switch {
		case column == 0:
			fmt.Fprintf(w, "%*s", indent, "")
			column = indent
		case column+1+length > width:
			fmt.Fprintf(w, "\n%*s", indent, "")
			column = indent
		default:
			io.WriteString(w, " ")
			column++
		}
		io.WriteString(w, word)
		column += length
	}
	io.WriteString(w, "\n")
}

// ageText is the interval of a site's age.
func (s *Site) ageText() string {
	switch a := s.Age; {
	case a == nil:
		return "?"
	case a.Samples == 0:
		return "below one GC"
	case a.Samples < fewSamples:
		return "about " + seconds((a.Min+a.Max)/2)
	default:
		return seconds(a.Min) + " to " + seconds(a.Max)
	}
}
