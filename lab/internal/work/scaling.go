package work

import (
	"fmt"
	"strconv"
)

const scalingPrefix = "scaling-"

// scaling returns a workload for each number of Ps from 1 to n. If n is large, only for powers
// of two and n.
func scaling(n int) (all []*Workload) {
	for p := 1; p <= n; p++ {
		if n <= 8 || p&(p-1) == 0 || p == n {
			all = append(all, scalingTo(p))
		}
	}
	return all
}

func scalingTo(procs int) *Workload {
	return &Workload{
		Name: scalingPrefix + strconv.Itoa(procs), Group: GroupScaling, Goroutines: procs, Procs: procs, Asked: pairSize,
		What: fmt.Sprintf("Get of 4096 bytes and Put on each of %d goroutines, with GOMAXPROCS %d.", procs, procs),
		Op:   "one Get and Put of one goroutine",
		Can:  canOneSize,
		New:  newPair,
	}
}
