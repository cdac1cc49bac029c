package corpus

import (
	"errors"
	"fmt"
)

// differences makes a slice of a length that it knows, and appends to it.
func differences(samples []int32, order int) []int32 {
	n := len(samples)
	out := make([]int32, 0, n-order) // want pool it; patch; 4096
	for i := order; i < n; i++ {
		if order == 0 {
			out = append(out, samples[i])
		} else {
			out = append(out, samples[i]-samples[i-1])
		}
	}
	return out
}

func Least(samples []int32) (least int) {
	least = 1 << 30
	for order := 0; order < 3; order++ {
		all := differences(samples, order)
		sum := 0
		for _, d := range all {
			sum += int(d)
		}
		least = min(least, sum)
	}
	return least
}

func CountDifferences(samples []int32, order int) int {
	all := differences(samples, order)
	return len(all)
}

// known makes its slice with a capacity of which its caller makes use.
func known(n int) []int32 {
	out := make([]int32, 0, n+2) // want needs an owner; no patch; 4096
	for i := range n {
		out = append(out, int32(i))
	}
	return out
}

func Known(n int) int32 {
	all := known(n)
	return all[:n+1][n]
}

// squares has a caller whose rounds end in several ways.
func squares(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, i*i) // want pool it; patch; 4096
		}
	}
	return all
}

func SumSquares(limits []int) (sum int, err error) {
	for _, n := range limits {
		all := squares(n)
		if len(all) == 0 {
			continue
		}
		for _, x := range all {
			if x == 9 {
				break
			}
			sum += x
		}
		switch {
		case n == 7:
			return sum, errors.New("seven")
		case n > 8:
			return 0, fmt.Errorf("%d is too large", n)
		case n == 6:
			break
		}
		if n == 5 {
			break
		} else if n == 4 {
			return sum + n, err
		}
	}
	return sum, nil
}

// Only has nothing behind the end of its last round.
func Only(n int) int {
	for {
		all := squares(n)
		n += len(all)
		if n > 10 {
			return n
		} else {
			continue
		}
	}
}

// cubes has a caller that uses it in the return statement.
func cubes(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, i*i*i) // want pool it; no patch; 4096
		}
	}
	return all
}

func FirstCube(limits []int) int {
	for _, n := range limits {
		all := cubes(n)
		if len(all) > 2 {
			return all[2]
		}
	}
	return -1
}

// powers has a caller that has another variable of the name.
func powers(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, 1<<i) // want pool it; no patch; 4096
		}
	}
	return all
}

func Powers(limits []int) (sum int) {
	for _, n := range limits {
		all := powers(n)
		if all := len(all); all > 3 {
			continue
		}
		sum += len(all)
	}
	return sum
}

// halves has a caller that uses it behind the loop.
func halves(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, i/2) // want pool it; no patch; 4096
		}
	}
	return all
}

func Halves(n int) (sum int) {
	var last []int
	for {
		all := halves(n)
		last = all
		if n++; len(all) > 4 {
			break
		}
	}
	for _, x := range last {
		sum += x
	}
	return sum
}

// rests has a caller that leaves two loops.
func rests(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, i%3) // want pool it; no patch; 4096
		}
	}
	return all
}

func Rests(limits []int) (sum int) {
outer:
	for _, m := range limits {
		for range m {
			all := rests(m)
			if len(all) > 4 {
				continue outer
			}
			sum += len(all)
		}
	}
	return sum
}

func total(all []int) (sum int) {
	for _, x := range all {
		sum += x
	}
	return sum
}

// sevenths has a caller that passes a part of it in a return statement.
func sevenths(n int) []int {
	var all []int
	for i := range n {
		if i != 1 {
			all = append(all, i/7) // want pool it; no patch; 4096
		}
	}
	return all
}

func Sevenths(limits []int) int {
	for _, n := range limits {
		all := sevenths(n)
		rest := all[1:]
		if n > 8 {
			return total(rest)
		}
	}
	return -1
}
