// Package corpus has functions that return slices which grow, and that all callers drop.
package corpus

import "strings"

// split returns the lines of a text, and where they begin.
func split(text string) ([]string, []int) {
	var lines []string
	offsets := []int{0}
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return lines, offsets
		}
		lines = append(lines, text[:i])                        // want pool it; patch; 4096
		offsets = append(offsets, offsets[len(offsets)-1]+i+1) // want pool it; patch; 2048
		text = text[i+1:]
	}
}

type pair struct{ lines []string }

func (p pair) isNil() bool { return p.lines == nil }

func Both(text string) (n, last int, empty bool) {
	lines, offsets := split(text)
	for _, l := range lines {
		n += len(l)
	}
	return n, offsets[len(offsets)-1], pair{lines}.isNil()
}

func Lines(text string) (n int) {
	lines, _ := split(text)
	return len(lines)
}

func Offsets(text string) int {
	_, offsets := split(text)
	return offsets[len(offsets)-1]
}

func Each(texts []string) (n int, longest string) {
	for _, text := range texts {
		if text != "" {
			lines, offsets := split(text)
			for i, l := range lines {
				if l == "" {
					continue
				}
				if len(l) > len(longest) {
					longest = l
				}
				n += offsets[i]
			}
		}
	}
	return n, longest
}

// evens has a caller that returns in a round.
func evens(n int) []int {
	var all []int
	for i := range n {
		if i%2 == 0 {
			all = append(all, i) // want pool it; patch; 4096
		}
	}
	return all
}

func HasEven(limits []int, x int) bool {
	for _, n := range limits {
		all := evens(n)
		for _, e := range all {
			if e == x {
				return true
			}
		}
	}
	return false
}

// odds has a caller that needs the slice of a round behind it.
func odds(n int) []int {
	var all []int
	for i := range n {
		if i%2 == 1 {
			all = append(all, i) // want preallocate; no patch; 4096
		}
	}
	return all
}

func LastOdds(limits []int) (n int) {
	var last []int
	for _, limit := range limits {
		all := odds(limit)
		last = all
	}
	return len(last)
}

// thirds has a caller that needs the slice behind the block of an if.
func thirds(n int) []int {
	var all []int
	for i := range n {
		if i%3 == 0 {
			all = append(all, i) // want preallocate; no patch; 4096
		}
	}
	return all
}

func Thirds(limits []int) (sum int) {
	for _, limit := range limits {
		one := limits
		if limit > 3 {
			all := thirds(limit)
			one = all[1:]
		}
		for _, x := range one {
			sum += x
		}
	}
	return sum
}

// fourths has a caller that sets its variable again.
func fourths(n int) []int {
	var all []int
	for i := range n {
		if i%4 == 0 {
			all = append(all, i) // want pool it; no patch; 4096
		}
	}
	return all
}

func Fourths(limits []int) (sum int) {
	for _, limit := range limits {
		all := fourths(limit)
		for len(all) > 0 {
			sum += all[0]
			all = all[1:]
		}
	}
	return sum
}

// list may be cut to an empty slice, which is not nil.
func list(n int) []string {
	var all []string
	for i := range n {
		if i > 2 {
			all = all[:0]
		}
		if i%2 == 0 {
			all = append(all, "x") // want pool it; no patch; 4096
		}
	}
	return all
}

func List(n int) (int, bool) {
	all := list(n)
	return len(all), all == nil
}

// records begins with an element of a type that append cannot leave out.
type record struct{ key, value string }

func records(n int) []record {
	all := []record{{"a", "b"}}
	for i := range n {
		if i%2 == 0 {
			all = append(all, record{"c", "d"}) // want pool it; no patch; 4096
		}
	}
	return all
}

func Records(n int) (keys string) {
	for _, r := range records(n) {
		keys += r.key
	}
	return keys
}

// kept has a caller that keeps it.
func kept(n int) []string {
	var all []string
	for i := range n {
		if i%2 == 0 {
			all = append(all, "x") // want preallocate; no patch; 4096
		}
	}
	return all
}

var Last []string

func Keep(n int) { Last = kept(n) }

// named is a value, too.
func named(n int) []string {
	var all []string
	for i := range n {
		if i%2 == 0 {
			all = append(all, "x") // want preallocate; no patch; 4096
		}
	}
	return all
}

var Named = named

func UseNamed(n int) int {
	all := named(n)
	return len(all)
}
