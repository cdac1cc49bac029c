// Command misuse is the smallest programs with one misuse of basin each, and the same
// programs without it:
//
//	misuse list          print their names
//	misuse NAME bug      run the one that is wrong
//	misuse NAME fixed    run the one that is right
//	misuse NAME fault    run the one that is wrong, without a handler
//
// BASIN_CHECK says what is checked. Each report is a line: kind, file and line. That line is
// the offending call; of a leak it is the acquisition, and of a write after Put the Put.
// In the sources it says so; and "guard: faults" is where it faults with guarded memory.
package main

import (
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/gctest"
)

// A program does something with basin, rightly or wrongly. It may panic.
type program struct {
	name       string
	bug, fixed func()
}

var programs []program

// add has the program of a file run.
func add(name string, bug, fixed func()) { programs = append(programs, program{name, bug, fixed}) }

func main() {
	if os.Args[1] == "list" {
		for _, p := range programs {
			fmt.Println(p.name)
		}
		return
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == os.Args[1] })
	switch p := programs[i]; os.Args[2] {
	case "bug":
		check(p.bug)
	case "fixed":
		check(p.fixed)
	case "fault":
		p.bug()
	}
}

// check runs a program and prints what is reported of it.
func check(run func()) {
	c := basincheck.Now()
	c.Handler = func(m *basincheck.Report) {
		at := m.Here
		switch m.Kind {
		case basincheck.Leak:
			at = m.Acquired
		case basincheck.WriteAfterPut:
			at = m.FirstPut
		}
		f := at.Frames()[0]
		fmt.Printf("%v: %s:%d\n", m.Kind, path.Base(f.File), f.Line)
	}
	basincheck.Set(c)
	func() {
		defer func() { recover() }()
		run()
	}()
	basincheck.Verify()
	gctest.Collect() // the rest is leaks
}
