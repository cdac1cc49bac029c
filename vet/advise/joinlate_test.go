package advise

import "testing"

// TestJoinLate has goroutines for which their function waits, although it may panic before.
func TestJoinLate(t *testing.T) {
	const late = `: pool it; The memory does not leave `
	judged(t, `package p

import "sync"

func part(b []byte, i, n int) []byte { return b[i*len(b)/n:(i+1)*len(b)/n] }

func fill(b []byte) {
	for i := range b {
		b[i] = byte(i)
	}
}

func sum(b []byte) (n int) {
	for _, x := range b {
		n += int(x)
	}
	return n
}

func inParts(size, cpus int) int {
	temp := make([]byte, size) // `+late+`inParts.$
	var wg sync.WaitGroup
	wg.Add(cpus)
	for i := 0; i < cpus; i++ {
		slice := part(temp, i, cpus)
		go func() {
			defer wg.Done()
			fill(slice)
		}()
	}
	wg.Wait()
	return sum(temp)
}

func inPhases(size, cpus int) int {
	temp := make([]byte, size) // `+late+`inPhases.$
	sums := make([]int, cpus) // `+late+`inPhases.$
	wg := sync.WaitGroup{}
	wg.Add(cpus)
	for i := 0; i < cpus; i++ {
		slice := part(temp, i, cpus)
		go func() {
			defer wg.Done()
			fill(slice)
		}()
	}
	wg.Wait()
	for i := range cpus {
		wg.Add(1)
		slice := part(temp, i, cpus)
		go func() {
			defer wg.Done()
			sums[i] = sum(slice)
		}()
	}
	wg.Wait()
	n := 0
	for _, x := range sums {
		n += x
	}
	return n
}
`, nil)
}
