package corpus

import (
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
)

// part may panic.
func part(b []byte, i, n int) []byte {
	if len(b) == 999 && i == 2 {
		panic("no such part")
	}
	return b[i*len(b)/n : (i+1)*len(b)/n]
}

// InParts may panic while its goroutines run, with the memory.
func InParts(size, workers int) int {
	b := make([]byte, size) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		p := part(b, i, workers)
		go func() {
			defer wg.Done()
			fill(p, 2)
		}()
	}
	wg.Wait()
	return total(b)
}

// InPhases waits twice for its group.
func InPhases(size, workers int) int {
	b := make([]byte, size)      // want pool it; patch; 4096
	sums := make([]int, workers) // want pool it; patch; 2048
	wg := sync.WaitGroup{}
	wg.Add(workers)
	for i := range workers {
		p := part(b, i, workers)
		go func() {
			defer wg.Done()
			fill(p, 3)
		}()
	}
	wg.Wait()
	for i := range workers {
		wg.Add(1)
		p := part(b, i, workers)
		go func() {
			defer wg.Done()
			sums[i] = total(p)
		}()
	}
	wg.Wait()
	n := 0
	for _, s := range sums {
		n += s
	}
	return n
}

// TwoByTwo adds two for two goroutines in each round.
func TwoByTwo(size int) int {
	b := make([]byte, size) // want pool it; patch; 4096
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(2)
		go fillPart(&wg, part(b, 2*i, 4))
		go fillPart(&wg, part(b, 2*i+1, 4))
		wg.Wait()
	}
	wg.Wait()
	return total(b)
}

func fillPart(wg *sync.WaitGroup, p []byte) {
	defer wg.Done()
	fill(p, 1)
}

// Checked waits in an if statement.
func Checked(size int) (int, error) {
	b := make([]byte, size) // want pool it; patch; 4096
	var g errgroup.Group
	for i := range 4 {
		p := part(b, i, 4)
		g.Go(func() error {
			if len(p) == 0 {
				return errors.New("nothing")
			}
			fill(p, 1)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	return total(b), nil
}

// Fewer adds less than it starts, and again after a wait that may have been too short.
func Fewer(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i <= workers; i++ {
		p := part(b, i, workers+1)
		go func() {
			defer wg.Done()
			fill(p, 2)
		}()
	}
	wg.Wait()
	wg.Add(2)
	go fillPart(&wg, nil)
	wg.Wait()
	return total(b)
}

// FewerInRounds starts two for each one that it adds.
func FewerInRounds(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		for range 2 {
			p := part(b, i, workers)
			go func() {
				defer wg.Done()
				fill(p, 2)
			}()
		}
	}
	wg.Wait()
	wg.Add(workers)
	for range workers {
		wg.Done()
	}
	wg.Wait()
	return total(b)
}

// Repeated runs a loop again that it has counted once.
func Repeated(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for again := range 2 {
		for i := 0; i < workers; i++ {
			p := part(b, i, workers)
			go fillPart(&wg, p)
		}
		wg.Wait()
		if again == 0 {
			wg.Add(1)
			go fillPart(&wg, nil)
		}
	}
	wg.Wait()
	return total(b)
}

// Backwards has a counter that the loop sets back.
func Backwards(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i, back := 0, true; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
		if back {
			i, back = -1, false
		}
	}
	wg.Wait()
	wg.Add(1)
	go fillPart(&wg, nil)
	wg.Wait()
	return total(b)
}

// Sometimes waits for some goroutines only.
func Sometimes(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	if size > 10 {
		wg.Wait()
	}
	return workers
}

// Other waits for others.
func Other(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg, other sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	other.Add(1)
	go fillPart(&other, part(b, 0, workers))
	other.Wait()
	if size < 0 {
		wg.Wait()
	}
	return workers
}

// Replaces has another slice in its variable when it has waited.
func Replaces(size, workers int, own []byte) int {
	b := make([]byte, size) // want pool it; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	if len(own) > 0 {
		b = own
	}
	wg.Wait()
	return total(b)
}

// Early returns memory that goroutines fill later.
func early(size, workers int) []byte {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	if size > 10 {
		return b
	}
	wg.Wait()
	return b
}

// Early uses memory that goroutines may still fill.
func Early(size, workers int) int { return len(early(size, workers)) }

// filled returns memory that goroutines have filled.
func filled(size, workers int) []byte {
	b := make([]byte, size) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	wg.Wait()
	return b
}

// Filled is done with the memory that it gets.
func Filled(size, workers int) int {
	b := filled(size, workers)
	return total(b)
}

// Last starts a goroutine that it does not wait for.
func Last(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	wg.Wait()
	go fill(b, 1)
	return workers
}

// After starts more than it waits for.
func After(size, workers int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	wg.Wait()
	wg.Add(1)
	go fillPart(&wg, b)
	return workers
}

// Borrowed has a group that others may wait for, too.
func Borrowed(size, workers int, wg *sync.WaitGroup) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(wg, part(b, i, workers))
	}
	wg.Wait()
	return total(b)
}

// Deferring has a deferred call that uses the memory, and is deferred before the wait.
func Deferring(size, workers int) (sum int) {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	defer func() { sum = total(b) }()
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	wg.Wait()
	return 0
}

// DefersPart does so with a part.
func DefersPart(size, workers int, to *[]byte) {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	defer copy(*to, part(b, 0, 2))
	var wg sync.WaitGroup
	wg.Add(workers)
	for i := 0; i < workers; i++ {
		go fillPart(&wg, part(b, i, workers))
	}
	wg.Wait()
}

// Perhaps waits only if it is not fast, and may panic then.
func Perhaps(size int, fast bool) (bool, error) {
	b := make([]byte, size) // want pool it; no patch; 4096
	var g errgroup.Group
	for i := range 4 {
		p := part(b, i, 4)
		g.Go(func() error {
			fill(p, 1)
			return nil
		})
	}
	ok := fast || g.Wait() == nil
	part(b, 2, 4)
	return ok, g.Wait()
}

// Less takes back one that it has added.
func Less(size int, hurry bool) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(2)
	go fillPart(&wg, part(b, 0, 2))
	go fillPart(&wg, part(b, 1, 2))
	wg.Add(-1)
	wg.Wait()
	wg.Add(1)
	wg.Wait()
	return size
}

// LessThan may do so.
func LessThan(size, more int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(2)
	go fillPart(&wg, part(b, 0, 2))
	go fillPart(&wg, part(b, 1, 2))
	wg.Add(more)
	wg.Wait()
	wg.Add(1)
	wg.Wait()
	return size
}

// Go is no method of a group, and Add is none.
func Go(f func()) { f() }

// Named has a function whose name is that of a method.
func Named(size int, hurry bool) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go fillPart(&wg, part(b, 0, 2))
	p := part(b, 1, 2)
	Go(func() {
		go func() {
			defer wg.Done()
			fill(p, 1)
		}()
	})
	wg.Wait()
	wg.Add(1)
	if hurry {
		return 0
	}
	wg.Wait()
	return size
}

// ByLength adds the length of a map, which the loop changes.
func ByLength(size int, m map[int]int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(len(m))
	for i := 0; i < len(m); i++ {
		m[i+2] = i
		go fillPart(&wg, part(b, 0, 2))
	}
	wg.Wait()
	wg.Add(1)
	wg.Wait()
	return size
}

// Beside starts one more than its loop, which takes all that is added.
func Beside(size int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(2)
	for i := 0; i < 2; i++ {
		go fillPart(&wg, part(b, i, 3))
	}
	go fillPart(&wg, part(b, 2, 3))
	wg.Wait()
	wg.Add(1)
	wg.Wait()
	return size
}

// Anew has a group of its own in each round, and waits for the last.
func Anew(size int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	i := 0
	for {
		var wg sync.WaitGroup
		wg.Add(1)
		go fillPart(&wg, b)
		if i == 1 {
			wg.Wait()
			break
		}
		i++
	}
	return size
}

// Add is no method of a group either.
func Add(f func()) { f() }

// NamedAdd calls it.
func NamedAdd(size int) int {
	b := make([]byte, size) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	p := part(b, 1, 2)
	Add(func() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			fill(p, 1)
		}()
	})
	wg.Add(1)
	go fillPart(&wg, part(b, 0, 2))
	wg.Wait()
	wg.Add(1)
	go fillPart(&wg, nil)
	wg.Wait()
	return size
}
