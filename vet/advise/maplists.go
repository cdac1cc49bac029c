package advise

import "golang.org/x/tools/go/ssa"

// A line such as m[k] = append(m[k], list...) makes arrays of any length, and lets the map grow. The sizes tell them apart if most bytes have
// that of a table, and smaller pieces are there too: short lists are more often in a map than one of a table's size in each.

// hasSmallerLists reports whether a line lets a map grow, sets an element of it to a list that it extends, and makes smaller pieces
// than tables, as many as those or more.
func hasSmallerLists(table, grown *allocation, site *Site) bool {
	set, ok := table.instr.(*ssa.MapUpdate)
	if !ok || grown == nil {
		return false
	}
	if list, ok := grown.instr.(ssa.Value); !ok || set.Value != list {
		return false
	}
	most := site.mostBytes()
	smaller := 0.0
	for _, s := range site.Sizes {
		if s.Size < most.Size {
			smaller += s.Objects
		}
	}
	return smaller >= most.Objects
}
