package advise

import "testing"

// TestReasonsOfOwnMaps has maps of rounds: one for all rounds would do where nothing else can have them.
func TestReasonsOfOwnMaps(t *testing.T) {
	judged(t, `package p

func count(lists [][]int) (most int) {
	for _, list := range lists {
		seen := make(map[int]int, len(list)) // : reuse a variable; It does not leave the loop: make one map before the loop, and clear(m) in each round. There is no patch for maps.$
		for _, v := range list {
			seen[v]++ // : reuse a variable; It does not leave the loop
		}
		delete(seen, 0)
		for _, n := range seen {
			most = max(most, n)
		}
	}
	return most
}

func once(list []int) int {
	seen := make(map[int]bool, len(list)) // : not judged; This is a map, which only its function has. Nothing has it when the function returns, so one that is kept for the next call, and emptied by clear, can take its place.$
	for _, v := range list {
		seen[v] = true
	}
	delete(seen, 0)
	return len(seen)
}

func kept(lists [][]int) (all []map[int]bool) {
	for _, list := range lists {
		seen := make(map[int]bool, len(list)) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
		all = append(all, seen)
	}
	return all
}

func nested(lists [][]int) map[int]map[int]bool {
	all := map[int]map[int]bool{}
	for i, list := range lists {
		all[i] = make(map[int]bool, len(list)) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	}
	return all
}

func carried(lists [][]int) (n int) {
	var last map[int]bool
	for _, list := range lists {
		seen := make(map[int]bool, len(list)) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
		n += len(last)
		last = seen
	}
	return n
}

func captured(lists [][]int, each func(func())) {
	for _, list := range lists {
		seen := make(map[int]bool, len(list)) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
		each(func() { seen[1] = true })
	}
}

func deferred(lists [][]int) {
	for _, list := range lists {
		seen := make(map[int]bool, len(list)) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
		defer clear(seen)
	}
}

func passed(lists [][]int, f func(map[int]bool)) {
	for _, list := range lists {
		f(make(map[int]bool, len(list))) // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	}
}
`, nil)
}
