package advise

import "testing"

// TestReasonsOfSeveral has lines that make several things, of which the row must name the right one.
func TestReasonsOfSeveral(t *testing.T) {
	judged(t, `package p

var out [][]byte

func ranged(all []string) {
	list := make([][]byte, 0, len(all))
	for _, s := range all {
		list = append(list, []byte(s)) // : needs an owner; The memory leaves ranged: it is stored in list. Its last user would have to put it back.$
	}
	out = list
}

func counted(all []string, n int) {
	list := make([][]byte, 0, n)
	for i := 0; i < n; i++ {
		list = append(list, []byte(all[i])) // : needs an owner; The memory leaves counted: it is stored in list. Its last user would have to put it back.$
	}
	out = list
}

func numbered(all []string, n int) {
	list := make([][]byte, 0, n)
	for i := range n {
		list = append(list, []byte(all[i])) // : needs an owner; The memory leaves numbered: it is stored in list. Its last user would have to put it back.$
	}
	out = list
}

func grows(all []string) {
	var list [][]byte
	for _, s := range all {
		list = append(list, []byte(s)) // : preallocate; It grows in a loop over all, whose length is known: make it with that capacity before the loop. The line also makes []byte of a string: the sizes do not tell which has most of the bytes.$
	}
	out = list
}

func twice(all []string) {
	list := make([][]byte, 0, len(all))
	for _, s := range all {
		list = append(list, nil)
		list = append(list, []byte(s)) // : needs an owner; The memory leaves twice: it is stored in the variable out of the package. Its last user would have to put it back. The line also makes []byte of a string: the sizes do not tell which has most of the bytes.$
	}
	out = list
}

func repeated(all []string) {
	list := make([][]byte, 0, len(all))
	for range 2 {
		for _, s := range all {
			list = append(list, []byte(s)) // : needs an owner; The memory leaves repeated: it is stored in the variable out of the package. Its last user would have to put it back. The line also makes []byte of a string: the sizes do not tell which has most of the bytes.$
		}
	}
	out = list
}

func short(all []string) {
	list := make([][]byte, 0, len(all)-1)
	for _, s := range all {
		list = append(list, []byte(s)) // : preallocate; It grows in a loop over all,
	}
	out = list
}

func two(n, m int) (a, b []byte) {
	a, b = make([]byte, n), make([]byte, m) // : needs an owner; The memory leaves two: it is returned from p.two. Its last user would have to put it back. The line also makes another make([]byte): the sizes do not tell which has most of the bytes.$
	return a, b
}

type pair struct{ numbers [512]int64 }

func sized(n int) (*pair, []byte) {
	return &pair{}, make([]byte, n) // : needs an owner; The memory leaves sized: it is returned from p.sized.
}

func header(list []string, s string) []string {
	return append(list, s+s) // : not judged; Strings cannot be written to, so nothing can reuse them.$
}

func small(b []byte, key string) int {
	b = append(b, 'x')
	return hold(b, string(b)) + len(append(b[:0], key...)) // : not judged; Strings cannot be written to, so nothing can reuse them.$
}

var held string

func hold(b []byte, s string) int {
	held = s
	return len(b)
}

func looked(m map[string][]byte, key, b []byte) []byte {
	return append(m[string(key)], b...) // : needs an owner; The memory leaves looked: it is returned from p.looked. Its last user would have to put it back.$
}
`, func(i int, s *synthetic) {
		switch i {
		case 9: // smaller than a string's header
			s.objects = s.bytes / 8
		case 10: // smaller than any array of an append
			s.objects = s.bytes / 4
		}
	})
}
