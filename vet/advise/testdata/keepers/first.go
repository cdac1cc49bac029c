package corpus

// The functions here call one that returns memory, as a part of a statement that evaluates it first.

func numbers(n int) []int {
	list := make([]int, n) // want pool it; patch; 4096+1024
	for i := range list {
		list[i] = i * i
	}
	return list
}

// Ranged ranges over it, and may return early.
func Ranged(n, most int) (sum int) {
	for i, v := range numbers(n) {
		if v > most {
			return sum
		}
		sum += v * i
	}
	return -sum
}

// Indexed has one element.
func Indexed(n, i int) int {
	return numbers(n)[i]
}

// Cut has a part.
func Cut(n, i int) (sum int) {
	for _, v := range numbers(n)[i:] {
		sum += v
	}
	return sum
}

// Switched has its length in a switch.
func Switched(n int) string {
	switch numbers(n)[1] {
	case 1:
		return "one"
	}
	return "more"
}

func labeled(n int) []int {
	list := make([]int, n) // want pool it; no patch; 4096+1024
	for i := range list {
		list[i] = i * i
	}
	return list
}

// Labeled has a label before the loop.
func Labeled(n int) (sum int) {
outer:
	for _, v := range labeled(n) {
		for i := range v {
			if i > 3 {
				continue outer
			}
			sum += i
		}
	}
	return sum
}

func later(n int) []int {
	list := make([]int, n) // want pool it; no patch; 4096+1024
	for i := range list {
		list[i] = i * i
	}
	return list
}

// Later may not call it at once.
func Later(n int) (sum int) {
	for i := 0; i < len(later(n)); i++ {
		sum += i
	}
	return sum
}

// Received has a receive before the call.
func Received(n int, ready chan int) int {
	return sumOf(<-ready, received(n)[0])
}

func received(n int) []int {
	list := make([]int, n) // want pool it; no patch; 4096+1024
	list[0] = 2
	return list
}

func sumOf(a, b int) int { return a + b }

// Keyed has a call in a key before it.
func Keyed(n int) map[int]int {
	return map[int]int{next(): 1, 100: keyed(n)[0]}
}

func keyed(n int) []int {
	list := make([]int, n) // want pool it; no patch; 4096+1024
	list[0] = counter
	return list
}

var counter int

func next() int {
	counter++
	return counter
}
