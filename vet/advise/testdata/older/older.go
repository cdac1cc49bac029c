// A comment of the file.

// Package corpus is of a module whose language has no type arguments.
package corpus

import (
	"fmt"
	"sort"
)

// Sum has a slice of numbers.
func Sum(values []int) (sum int) {
	s := make([]int, len(values)) // want pool it; patch; 4096
	copy(s, values)
	sort.Ints(s)
	for _, v := range s[len(s)/2:] {
		sum += v
	}
	return sum
}

// Variables has one variable for all rounds of a loop, as the module's language says.
func Variables(n int) (sum int) {
	all := make([]*int, 0, 8) // want pool it; patch; 4096
	for i := 0; i < n; i++ {
		all = append(all, &i)
	}
	for _, p := range all {
		sum += *p
	}
	return sum
}

// Local has a type of its own, with a comment, and one that has the same name elsewhere.
func Local(names []string) (text string) {
	// A pair is a name and its length.
	type pair struct {
		name string
		n    int
	}
	var first *pair
	pairs := []pair{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if name != "" {
			pairs = append(pairs, pair{name, len(name)}) // want pool it; patch; 4096
		}
	}
	sort.Strings(names)
	for _, p := range pairs {
		if first == nil {
			first = &pair{p.name, p.n}
		}
		text += fmt.Sprintf("%d%s %T;", p.n, p.name, p)
	}
	return text + fmt.Sprint(first.n)
}

// Twice has two slices of its type.
func Twice(values []int) (sum int) {
	type cell struct{ a, b int }
	x := make([]cell, len(values)) // want pool it; patch; 4096
	y := make([]cell, len(values)) // want pool it; patch; 4096
	for i, v := range values {
		x[i].a, y[i].b = v, 2*v
	}
	for i := range x {
		sum += x[i].a + y[i].b + x[i].b
	}
	return sum
}

// Again has another type of that name, which stays where it is.
func Again(values []int) (sum int) {
	type cell struct{ a int }
	x := make([]cell, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].a = v
	}
	for i := range x {
		sum += x[i].a
	}
	return sum
}

// Dependent has a type that needs another of the function.
func Dependent(values []int) (sum int) {
	type inner struct{ a int }
	type outer struct{ in inner }
	x := make([]outer, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].in.a = v
	}
	for i := range x {
		sum += x[i].in.a
	}
	return sum
}

type taken int

// Taken has a type whose name is that of another of the package.
func Taken(values []int) (sum int) {
	type taken struct{ a int }
	x := make([]taken, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].a = v
	}
	for i := range x {
		sum += x[i].a
	}
	return sum
}

// Universal has a type whose name every package knows.
func Universal(values []int) (sum int) {
	type error struct{ a int }
	x := make([]error, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].a = v
	}
	for i := range x {
		sum += x[i].a
	}
	return sum
}

// Exported has a type that users of the package would see.
func Exported(values []int) (sum int) {
	type Value struct{ a int }
	x := make([]Value, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].a = v
	}
	for i := range x {
		sum += x[i].a
	}
	return sum
}

// Imported has a type with the name of a package that another file imports.
func Imported(values []int) (sum int) {
	type strings struct{ a int }
	x := make([]strings, len(values)) // want pool it; no patch; 4096
	for i, v := range values {
		x[i].a = v
	}
	for i := range x {
		sum += x[i].a
	}
	return sum
}
