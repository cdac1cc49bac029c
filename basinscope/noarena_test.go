//go:build go1.25 && !goexperiment.arenas

package basinscope_test

const arenas = false

func inArena([]int) int { return 0 }

func nodesInArena(int) {}
