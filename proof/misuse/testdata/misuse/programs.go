//go:build go1.25

// Package misuse has small programs with one misuse of basin each, and the same programs without the misuse.
//
// "// want: kind" marks the line that the report of the misuse names: for a leak the acquisition, for a write after
// Put the Put, and otherwise the misusing call. "// guard: faults" marks the line that faults with guarded memory.
package misuse

// A Program is a program with and without the misuse. Bug may panic.
type Program struct {
	Name       string // of the file
	Bug, Fixed func()
}

// Programs has all programs.
var Programs []Program

// add lists the program of a file.
func add(name string, bug, fixed func()) { Programs = append(Programs, Program{name, bug, fixed}) }
