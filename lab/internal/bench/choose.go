package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

// ChooseWorkloads returns the workloads that match one of the comma-separated patterns, in the
// syntax of [subjects.Match]. Without patterns it returns all.
func ChooseWorkloads(patterns string) ([]*work.Workload, error) {
	return choose("workload", work.All(), func(w *work.Workload) string { return w.Name }, patterns)
}

// ChooseSubjects returns the subjects that match the patterns, and basin, as the reference.
func ChooseSubjects(patterns string) ([]*subjects.Subject, error) {
	all := subjects.All()
	chosen, err := choose("subject", all, func(s *subjects.Subject) string { return s.Name }, patterns)
	if err == nil && !slices.ContainsFunc(chosen, func(s *subjects.Subject) bool { return s.Name == subjects.Reference }) {
		ref, _ := subjects.Named(subjects.Reference)
		chosen = append([]*subjects.Subject{ref}, chosen...)
	}
	return chosen, err
}

func choose[T any](what string, all []T, name func(T) string, patterns string) ([]T, error) {
	if patterns == "" {
		return all, nil
	}
	wanted := map[string]bool{}
	for pattern := range strings.SplitSeq(patterns, ",") {
		pattern = strings.TrimSpace(pattern)
		found := false
		for _, x := range all {
			ok, err := subjects.Match(pattern, name(x))
			if err != nil {
				return nil, fmt.Errorf("%s pattern %q: %w", what, pattern, err)
			}
			if ok {
				wanted[name(x)], found = true, true
			}
		}
		if !found {
			var names []string
			for _, x := range all {
				names = append(names, name(x))
			}
			return nil, fmt.Errorf("unknown %s %q; there are: %s", what, pattern, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !wanted[name(x)] }), nil
}
