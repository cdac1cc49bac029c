// A program that TestRatios runs in a module of its own, because no other module may require these originals: not
// every module proxy has them.
package main

import (
	"fmt"
	"os"
	"strings"

	"example.org/user/ratio"
)

var workloads []ratio.Workload

func add(name string, ours, old func(n int)) {
	workloads = append(workloads, ratio.Workload{Name: name, Ours: ours, Old: old})
}

func main() {
	for _, w := range workloads {
		if strings.Contains(w.Name, os.Getenv("BASIN_TEST_ONLY")) {
			ratio.Measure(w, func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
		}
	}
}
