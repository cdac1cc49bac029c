// Command correct is programs that use basin as it allows, some in ways that look like
// misuse:
//
//	correct list           print their names
//	correct run ROUNDS     run all of them, each so often
//
// BASIN_CHECK says what is checked. Each report is a line, and so is each program that
// does not get what it should: none is to be printed.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/gctest"
)

type program struct {
	name string
	run  func()
	heap bool // is about slices as objects of the heap, which guarded memory is not of
}

var programs []program

// add has a program run. It panics if something is not as it should be.
func add(name string, run func()) { programs = append(programs, program{name: name, run: run}) }

// addHeap is add for what the runtime refuses of memory that is not on its heap.
func addHeap(name string, run func()) { programs = append(programs, program{name, run, true}) }

// must panics if ok is false.
func must(ok bool) {
	if !ok {
		panic("not as it should be")
	}
}

// text is larger than the smallest size classes.
const text = "0123456789012345678901234567890123456789012345678901234567890123456789"

// data is the same as bytes.
var data = []byte(text)

func main() {
	slices.SortFunc(programs, func(a, b program) int { return len(a.name) - len(b.name) })
	if os.Args[1] == "list" {
		for _, p := range programs {
			fmt.Println(p.name)
		}
		return
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	name := ""
	c := basincheck.Now()
	c.Handler = func(m *basincheck.Report) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf("%s: %v\n", name, m)
	}
	for _, p := range programs {
		if p.heap && c.Guard {
			continue
		}
		mu.Lock()
		name = p.name
		mu.Unlock()
		basincheck.Set(basincheck.Settings{})
		basincheck.Set(c)
		for range rounds {
			run(p)
		}
		basincheck.Verify()
		if c.Level != basincheck.Off {
			gctest.Collect() // so that leaks are found
		}
	}
}

func run(p program) {
	defer func() {
		if err := recover(); err != nil {
			fmt.Printf("%s: %v\n", p.name, err)
		}
	}()
	p.run()
}
