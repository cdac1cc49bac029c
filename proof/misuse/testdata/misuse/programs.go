//go:build go1.25

// Package misuse is the smallest programs with one misuse of basin each, and the same programs without it.
//
// A line "// want: kind" is where that misuse is reported: the offending call, or of a leak the acquisition and of a
// write after Put the Put. "// guard: faults" is where the program faults with guarded memory.
package misuse

// A Program misuses basin, and does not once it is fixed. Either may panic.
type Program struct {
	Name       string // of the file
	Bug, Fixed func()
}

// Programs are all of them.
var Programs []Program

// add lists the program of a file.
func add(name string, bug, fixed func()) { Programs = append(Programs, Program{name, bug, fixed}) }
