// Package corpus has helpers that run a function in goroutines.
package corpus

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

func fill(p []byte, v byte) {
	for i := range p {
		p[i] = v
	}
}

func total(p []byte) (sum int) {
	for _, b := range p {
		sum += int(b)
	}
	return sum
}

// parallel calls a function for the parts of a range, and returns when all calls have.
func parallel(n int, f func(from, to int)) {
	if n < 4 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for from := 0; from < n; from += n / 4 {
		wg.Add(1)
		go func(from, to int) {
			defer wg.Done()
			f(from, to)
		}(from, min(from+n/4, n))
	}
	wg.Wait()
}

// Parallel has a helper run its literal in goroutines.
func Parallel(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	parallel(n, func(from, to int) { fill(b[from:to], 3) })
	return total(b)
}

// hasty may return before the calls have ended.
func hasty(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		f(0, n)
	}()
	if n > 3 {
		return
	}
	wg.Wait()
}

// Hasty may return before its literal has.
func Hasty(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	hasty(n, func(from, to int) { fill(b[from:to], 3) })
}

var later []func(from, to int)

// keeping keeps a function in a goroutine that it waits for.
func keeping(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		later = append(later, f)
	}()
	wg.Wait()
}

// Later has a helper keep its literal.
func Later(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	keeping(n, func(from, to int) { fill(b[from:to], 3) })
}

func keep(wg *sync.WaitGroup, f func(from, to int)) {
	defer wg.Done()
	later = append(later, f)
}

// Given waits for a goroutine that keeps its argument.
func Given(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go keep(&wg, func(from, to int) { fill(b[from:to], 3) })
	wg.Wait()
}

func call(wg *sync.WaitGroup, n int, f func(from, to int)) {
	defer wg.Done()
	f(0, n)
}

// Called waits for a goroutine that only calls its argument.
func Called(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go call(&wg, n, func(from, to int) { fill(b[from:to], 3) })
	wg.Wait()
	return total(b)
}

// nested has another goroutine call the function.
func nested(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		go f(0, n)
	}()
	wg.Wait()
}

// Nested may return before its literal has.
func Nested(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	nested(n, func(from, to int) { fill(b[from:to], 3) })
}

// replaced has its function in a variable that a literal which is kept reads.
func replaced(n int, f func(from, to int)) {
	later = append(later, func(from, to int) { f(from, to) })
}

// Replaced has a helper keep a literal that calls its own.
func Replaced(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	replaced(n, func(from, to int) { fill(b[from:to], 3) })
}

// tolerant goes on after a panic of the function, while a goroutine calls it.
func tolerant(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		f(0, n)
	}()
	f(0, n)
	wg.Wait()
}

// Tolerant has its literal called while a goroutine uses the memory. If that panics, a deferred Put would run.
func Tolerant(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	tolerant(n, func(from, to int) { fill(b[from:to], 3) })
}

// Grouped has a group of package errgroup.
func Grouped(n int) (int, error) {
	b := make([]byte, 4*n) // want pool it; patch; 4096
	var g errgroup.Group
	g.SetLimit(2)
	for i := range 4 {
		g.Go(func() error {
			fill(b[i*n:(i+1)*n], byte(i))
			return nil
		})
	}
	err := g.Wait()
	return total(b), err
}

// Cancelled has a group with a context.
func Cancelled(ctx context.Context, n int) (int, error) {
	b := make([]byte, n) // want pool it; patch; 4096
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		fill(b, 2)
		return ctx.Err()
	})
	if err := g.Wait(); err != nil {
		return 0, err
	}
	return total(b), nil
}

// Ungrouped may not wait for its group.
func Ungrouped(n int, hurry bool) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var g errgroup.Group
	g.Go(func() error {
		fill(b, 2)
		return nil
	})
	if !hurry {
		g.Wait()
	}
}

// Lent has a group that others have too.
func Lent(g *errgroup.Group, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	g.Go(func() error {
		fill(b, 2)
		return nil
	})
	g.Wait()
}

type failure struct{ part []byte }

func (f failure) Error() string { return string(f.part) }

// Failing has an error of the group that has the memory.
func Failing(n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var g errgroup.Group
	g.Go(func() error {
		fill(b, 'x')
		return failure{b}
	})
	return g.Wait()
}

// Stopped panics between the start and the end of its goroutine, if the number is too large.
func Stopped(n, at int) {
	b := make([]byte, n) // want pool it; patch; 4096
	var g errgroup.Group
	g.Go(func() error {
		fill(b, 2)
		return nil
	})
	b[at] = 1
	g.Wait()
}

// least is a function that splitting calls.
func least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

// split calls a function for the parts of a range.
func split(n, parts int, f func(from, to int)) {
	if n < 1 {
		return
	}
	div, mod := n/parts, n%parts
	for i := 0; i < parts; i++ {
		f(i*div+least(i, mod), (i+1)*div+least(i+1, mod))
	}
}

// divided calls a function in goroutines, for the parts of a range that another function splits.
func divided(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(from, to)
		}()
	})
	wg.Wait()
}

// Divided has helpers split a range, and run its literal in goroutines.
func Divided(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	divided(n, func(from, to int) { fill(b[from:to], 3) })
	return total(b)
}

// Split starts its goroutines by a literal that a helper calls.
func Split(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
	return total(b)
}

// Started starts a goroutine by its own literal.
func Started(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	func(to int) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			fill(b[:to], 2)
		}()
	}(n)
	wg.Wait()
	return total(b)
}

// SplitHasty may not wait.
func SplitHasty(n int, hurry bool) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg.Go(func() { fill(b[from:to], 2) })
	})
	if !hurry {
		wg.Wait()
	}
}

// SplitInside has memory of the literal, which returns before the goroutine ends.
func SplitInside(n int) {
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		b := make([]byte, n) // want needs an owner; no patch; 4096
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
}

// lending calls a function with memory of its own.
func lending(n int, f func([]byte)) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	f(b)
}

// SplitLent has memory of the helper, which returns before the goroutine ends.
func SplitLent(n int) {
	var wg sync.WaitGroup
	lending(n, func(b []byte) {
		wg.Go(func() { fill(b, 2) })
	})
	wg.Wait()
}

// handing calls a function with a literal of its own.
func handing(n int, f func(func())) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	f(func() { fill(b, 2) })
}

// SplitHanded has a literal of the helper, which returns before the goroutine ends.
func SplitHanded(n int) {
	var wg sync.WaitGroup
	handing(n, func(f func()) {
		wg.Go(func() { f() })
	})
	wg.Wait()
}

// splitAt splits a range at places, of which it may have too few, and so panic while goroutines run.
func splitAt(places []int, n int, f func(from, to int)) {
	for i := range n {
		f(places[i], places[i+1])
	}
}

// SplitFew may have a deferred Put run while its goroutines do.
func SplitFew(places []int, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	splitAt(places, n, func(from, to int) {
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
}

// splitThen calls another function while goroutines run.
func splitThen(n int, then func(), f func(from, to int)) {
	f(0, n)
	then()
}

// SplitThen has its helper call a function that may panic.
func SplitThen(n int, then func()) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	splitThen(n, then, func(from, to int) {
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
}

// splitLater keeps the function, too.
func splitLater(n int, f func(from, to int)) {
	later = append(later, f)
	f(0, n)
}

// SplitLater has a helper that keeps its literal.
func SplitLater(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	splitLater(n, func(from, to int) {
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
}

// SplitTwice adds to its group after it has waited.
func SplitTwice(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	start := func() { wg.Go(func() { fill(b, 2) }) }
	start()
	wg.Wait()
	start()
}

// SplitNested has a goroutine start another one.
func SplitNested(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg.Go(func() { go fill(b[from:to], 2) })
	})
	wg.Wait()
}

// SplitDone is done before it has used the memory.
func SplitDone(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg.Add(1)
		go func() {
			wg.Done()
			fill(b[from:to], 2)
		}()
	})
	wg.Wait()
}

// SplitReset forgets its goroutines.
func SplitReset(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	split(n, 4, func(from, to int) {
		wg = sync.WaitGroup{}
		wg.Go(func() { fill(b[from:to], 2) })
	})
	wg.Wait()
}

// Reset forgets its goroutine, and does not wait for it.
func Reset(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Go(func() { fill(b, 2) })
	wg = sync.WaitGroup{}
	wg.Wait()
}

type page struct {
	p [4096]byte
	n int
}

func (p *page) fill() { fill(p.p[:], 1) }

// Rounds waits for the goroutines of all rounds.
func Rounds(n int) {
	var wg sync.WaitGroup
	for range n {
		p := new(page) // want do not pool; no patch; 4096
		wg.Go(func() { p.fill() })
	}
	wg.Wait()
}

// SplitRounds does so with a literal of each round.
func SplitRounds(n int) {
	var wg sync.WaitGroup
	for range n {
		p := new(page) // want needs an owner; no patch; 4096
		split(n, 4, func(from, to int) {
			wg.Go(func() { p.fill() })
		})
	}
	wg.Wait()
}

// Workers sends work to goroutines that it waits for.
func Workers(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range jobs {
				fill(b[i:i+1], 2)
			}
		}()
	}
	for i := 0; i < n; i++ {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	return total(b)
}

// WorkersGiven has a channel of others, which may close it.
func WorkersGiven(n int, jobs chan int) {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Go(func() { fill(b[<-jobs:], 2) })
	jobs <- 1
	wg.Wait()
}

// WorkersClosed sends on a channel that may be closed.
func WorkersClosed(n int, hurry bool) {
	b := make([]byte, n) // want pool it; patch; 4096
	jobs := make(chan int, n)
	var wg sync.WaitGroup
	wg.Go(func() { fill(b[<-jobs:], 2) })
	if hurry {
		close(jobs)
	}
	jobs <- 1
	wg.Wait()
}

// WorkersClose has a goroutine close the channel.
func WorkersClose(n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	jobs := make(chan int, n)
	var wg sync.WaitGroup
	wg.Go(func() {
		fill(b[<-jobs:], 2)
		close(jobs)
	})
	for i := 0; i < n; i++ {
		jobs <- i
	}
	wg.Wait()
}

// WorkersNone closes a channel that may not be made.
func WorkersNone(n int, some bool) {
	b := make([]byte, n) // want pool it; patch; 4096
	var jobs chan int
	if some {
		jobs = make(chan int, n)
	}
	var wg sync.WaitGroup
	wg.Go(func() { fill(b[<-jobs:], 2) })
	close(jobs)
	wg.Wait()
}

var channels = map[int]chan int{}

// WorkersKept has a channel that others may close.
func WorkersKept(n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	jobs := make(chan int, n)
	channels[n] = jobs
	var wg sync.WaitGroup
	wg.Go(func() { fill(b[<-jobs:], 2) })
	jobs <- 1
	wg.Wait()
}
