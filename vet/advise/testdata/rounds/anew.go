package corpus

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Groups cuts a text where digits begin and end.
func Groups(text string) (groups []string) {
	var group []rune
	digits := false
	for i, r := range text {
		if i > 0 && digits != unicode.IsDigit(r) {
			groups = append(groups, string(group))
			group = []rune{}
		}
		digits = unicode.IsDigit(r)
		group = append(group, r) // want reuse a variable; patch; 64+128
	}
	return append(groups, string(group))
}

// Joined has parts in a slice that becomes nil, in two places.
func Joined(in []string) (lines []string) {
	var parts []string
	for _, s := range in {
		switch {
		case s == "":
			lines = append(lines, strings.Join(parts, "-"))
			parts = nil
		case len(parts) > 3:
			lines = append(lines, strings.Join(parts, "+"))
			parts = make([]string, 0, 4)
			parts = append(parts, s)
		default:
			parts = append(parts, s) // want reuse a variable; patch; 64+128
		}
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(parts, "-"))
	}
	return lines
}

// Sums has an inner loop, and sums whose slice is empty at first.
func Sums(in [][]int) (sums []int) {
	row := make([]int, 0)
	for _, list := range in {
		for _, n := range list {
			if n < 0 {
				row = row[:0]
				continue
			}
			row = append(row, n*n) // want reuse a variable; patch; 64+128
		}
		sum := 0
		for _, n := range row {
			sum += n
		}
		sums = append(sums, sum)
		row = []int{}
	}
	return sums
}

// KeptAnew keeps each group.
func KeptAnew(text string) (groups [][]rune) {
	var group []rune
	for _, r := range text {
		if r == ' ' {
			groups = append(groups, group)
			group = nil
			continue
		}
		group = append(group, r) // want needs an owner; no patch; 2048+4096
	}
	return append(groups, group)
}

// NilAnew asks whether there is a group.
func NilAnew(text string) (groups []string) {
	var group []rune
	for _, r := range text {
		if r == ' ' {
			if group != nil {
				groups = append(groups, string(group))
			}
			fmt.Sprint()
			group = nil
			continue
		}
		group = append(group, r) // want pool it; no patch; 2048+4096
	}
	return append(groups, string(group))
}

// EncodedAnew has an encoder that tells nil from an empty slice.
func EncodedAnew(in []int) (lines []string) {
	var row []int
	for _, n := range in {
		if n == 0 {
			line, _ := json.Marshal(row)
			lines = append(lines, string(line))
			row = nil
			continue
		}
		row = append(row, n) // want pool it; no patch; 2048+4096
	}
	return lines
}

// AfterAnew uses a part of the old slice.
func AfterAnew(text string) (n int) {
	var group []byte
	last := group
	for i := range len(text) {
		if text[i] == ' ' {
			last = group
			group = []byte{}
			continue
		}
		group = append(group, text[i]) // want could stay on the stack; no patch; 64+128
		n += len(last)
		if len(last) > 0 {
			n += int(last[0])
		}
	}
	return n
}

// PartAnew has a part of the old slice in the same block.
func PartAnew(text string) (n int) {
	var group []byte
	for i := range len(text) {
		if text[i] == ' ' {
			part := group[:len(group)/2]
			group = nil
			group = append(group, '_')
			n += strings.Count(string(part), "a")
			continue
		}
		group = append(group, text[i]) // want could stay on the stack; no patch; 64+128
	}
	return n
}

// RangedAnew gets a new slice while it ranges over the old one.
func RangedAnew(in []int) (sum int) {
	var row []int
	for _, n := range in {
		row = append(row, n) // want could stay on the stack; no patch; 64+128
		if n != 0 {
			continue
		}
		for i, m := range row {
			sum += m
			if m > 5 {
				row = []int{}
				row = append(row, -i)
			}
		}
	}
	return sum
}

// DeferredAnew has each of them in a deferred call.
func DeferredAnew(text string, out *strings.Builder) {
	var group []byte
	for i := range len(text) {
		if text[i] == ' ' {
			defer out.Write(group)
			group = []byte{}
			continue
		}
		group = append(group, text[i]) // want needs an owner; no patch; 2048+4096
	}
}

// RoomAnew asks for the capacity.
func RoomAnew(text string) (n int) {
	var group []byte
	for i := range len(text) {
		if text[i] == ' ' {
			n += cap(group)
			group = []byte{}
			continue
		}
		group = append(group, text[i]) // want pool it; no patch; 2048+4096
	}
	return n
}

type heavy struct{ data [64]byte }

// PointersAnew would keep what the elements point at.
func PointersAnew(in []*heavy) (n int) {
	var row []*heavy
	for _, h := range in {
		if h == nil {
			n += len(row)
			row = []*heavy{}
			continue
		}
		row = append(row, h) // want pool it; patch; 2048+4096
	}
	return n
}

// OtherAnew may have the memory of its caller.
func OtherAnew(text string, given []byte) (n int) {
	var group []byte
	for i := range len(text) {
		switch {
		case text[i] == ' ':
			n += len(group)
			group = []byte{}
		case text[i] == '!':
			group = given
		default:
			group = append(group, text[i]) // want do not pool; no patch; 2048+4096
		}
	}
	return n
}

// StaleAnew changes an element of the array that it outgrows.
func StaleAnew(text string) (n int) {
	var group []byte
	for i := range len(text) {
		if text[i] == ' ' {
			n += len(group)
			group = []byte{}
			continue
		}
		first := group
		group = append(group, text[i]) // want could stay on the stack; no patch; 64+128
		group[0]++
		n += strings.Count(string(first), "b")
	}
	return n
}

// LiteralAnew has a literal with the old slice.
func LiteralAnew(text string) (n int) {
	var group []byte
	count := func() int { return 0 }
	for i := range len(text) {
		if text[i] == ' ' {
			old := group
			count = func() int { return strings.Count(string(old), "a") }
			group = []byte{}
			continue
		}
		group = append(group, text[i]) // want needs an owner; no patch; 2048+4096
		n += count()
	}
	return n
}

// CopyAnew has a second variable with the new slice.
func CopyAnew(in []int) (sum int) {
	var row []int
	for _, n := range in {
		row = append(row, n) // want could stay on the stack; no patch; 64+128
		if len(row) == 5 {
			sum += len(row)
			row = nil
			other := row
			other = append(other, 7)
			row = append(row, 8)
			sum += other[0]
		}
	}
	return sum
}

// StoredAnew stores the new slice.
func StoredAnew(in []int) map[int][]int {
	rows := map[int][]int{}
	var row []int
	for i, n := range in {
		row = append(row, n) // want could stay on the stack; no patch; 64+128
		if len(row) == 5 {
			n += len(row)
			row = nil
			rows[i] = row
			rows[n] = append(rows[n], n)
		}
	}
	return rows
}

// ListedAnew makes slices for others in the same variable.
func ListedAnew(in []int) (lists [][]int) {
	var row []int
	for _, n := range in {
		row = append(row, n) // want could stay on the stack; no patch; 64+128
		if len(row) == 5 {
			row = make([]int, 0, 4)
			lists = append(lists, row)
			row = nil
		}
	}
	return lists
}

// CutAnew stores a part of the new slice.
func CutAnew(in []int) map[int][]int {
	rows := map[int][]int{}
	var row []int
	for i, n := range in {
		row = append(row, n) // want could stay on the stack; no patch; 64+128
		if len(row) == 5 {
			n += len(row)
			row = nil
			rows[i] = row[:0]
			rows[n] = append(rows[n], n)
		}
	}
	return rows
}

// SeenAnew compares the new slice.
func SeenAnew(in []int) (n int) {
	var row []int
	for _, x := range in {
		row = append(row, x) // want could stay on the stack; no patch; 64+128
		if len(row) == 5 {
			n += len(row)
			row = nil
			if row == nil {
				n++
			}
		}
	}
	return n
}

// GenericAnew has a slice of a type parameter's type.
func GenericAnew[S ~[]int](in S) (n int) {
	var row S
	for _, x := range in {
		row = append(row, x)
		if len(row) == 5 {
			n += len(row)
			row = nil
		}
	}
	return n
}
