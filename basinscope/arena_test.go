//go:build go1.25 && goexperiment.arenas

package basinscope_test

import "arena"

const arenas = true

func inArena(sizes []int) (total int) {
	a := arena.NewArena()
	defer a.Free()
	for _, n := range sizes {
		b := arena.MakeSlice[byte](a, n, n)
		b[0] = 1
		total += len(b)
	}
	return total
}

func nodesInArena(n int) {
	a := arena.NewArena()
	root = linked(n, func() *node { return arena.New[node](a) })
	root = nil
	a.Free()
}
