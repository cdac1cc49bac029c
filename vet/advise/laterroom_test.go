package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfLaterRoom has slices that grow again after the loop that fills them, and some that do not.
func TestReasonsOfLaterRoom(t *testing.T) {
	const (
		grows  = "preallocate; It grows in a loop over all, whose length is known: make it with that capacity before the loop."
		most   = "preallocate; It grows by at most one element in each round of a loop over all: if most rounds append, make it with that capacity before the loop."
		copies = ": add that number to the capacity, or the next append copies all elements. There is no patch: "
		keeps  = "needs an owner; "
	)
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

func both(all, more []string) (list []string) {
	for _, s := range all {
		list = append(list, s) // : `+grows+` It also grows at line 8, in a loop over more`+copies+`it also grows at line 8, in a loop over more, for which that capacity would have no room.
	}
	for _, s := range more {
		list = append(list, s)
	}
	return list
}

func last(all []string, end string) (list []string) {
	for _, s := range all {
		if s != "" {
			list = append(list, s) // : `+most+` It also grows at line 19`+copies+`
		}
	}
	list = append(list, end)
	return list
}

func several(all []string, end string) (list []string) {
	for _, s := range all {
		list = append(list, s) // : `+grows+` It also grows at lines 27 and 28`+copies+`
	}
	list = append(list, end)
	return append(list, all...)
}

func alone(all []string) (list []string) {
	for _, s := range all {
		list = append(list, s+"!") // : `+grows+`
	}
	return list
}

func otherwise(all []string, one bool) (list []string) {
	if one {
		list = append(list, "one")
		return list
	}
	for _, s := range all {
		list = append(list, s+"?") // : `+grows+`
	}
	return list
}

func other(all []string) (list, ends []string) {
	for _, s := range all {
		list = append(list, s+".") // : `+grows+`
	}
	ends = append(ends, list...)
	return list, ends
}
`, nil)
	for _, s := range r.Sites {
		if later := strings.Contains(s.Reason, "It also grows"); later == (s.Diff != "") {
			t.Errorf("%s: %s; %s", s.short(), s.Reason, s.Diff)
		}
	}
}
