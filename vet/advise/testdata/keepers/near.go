package corpus

// The functions here have callers that would notice, or that get too much.

func sized(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

// SizedSum is done with the memory.
func SizedSum(n int) (sum int) {
	for i, v := range sized(n) {
		sum += i + v
	}
	return sum
}

// Capacity keeps the memory, and asks for its capacity.
func Capacity(n int) ([]int, int) {
	list := sized(n)
	return list, cap(list)
}

func looped(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

// LoopedSum is done with the memory.
func LoopedSum(n int) (sum int) {
	for i, v := range looped(n) {
		sum += i + v
	}
	return sum
}

// Loops keeps one in each round.
func Loops(n int) (all [][]int) {
	for range 3 {
		all = append(all, looped(n))
	}
	return all
}

func extended(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

// ExtendedSum is done with the memory.
func ExtendedSum(n int) (sum int) {
	for i, v := range extended(n) {
		sum += i + v
	}
	return sum
}

// Forked appends twice to the same slice, which has room for one or not.
func Forked(n int) ([]int, []int) {
	list := extended(n)
	return append(list[:n/2], 1), append(list[:n/2], 2)
}

func valued(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

// ValuedSum is done with the memory.
func ValuedSum(n int) (sum int) {
	for i, v := range valued(n) {
		sum += i + v
	}
	return sum
}

// Makers has the function as a value.
var Makers = []func(int) []int{valued}

// Started has a goroutine call it.
func Started(n int) {
	go shared(n)
}

// SharedSum is done with the memory.
func SharedSum(n int) (sum int) {
	for i, v := range shared(n) {
		sum += i + v
	}
	return sum
}

func shared(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

// Only keeps the memory, as all callers do.
func Only(n int) []int { return alone(n) }

func alone(n int) []int {
	return make([]int, n) // want needs an owner; no patch; 4096
}

func roomy(n int) []int {
	list := make([]int, 4, n) // want needs an owner; no patch; 4096+1024
	list[0] = 1
	return list
}

// RoomySum is done with the memory.
func RoomySum(n int) (sum int) {
	list := roomy(n)
	for i, v := range list {
		sum += i + v
	}
	return sum
}

var lastRoomy []int

// Roomy keeps the memory, whose capacity others use.
func Roomy(n int) { lastRoomy = roomy(n) }

// UseRoom does so.
func UseRoom() int { return len(lastRoomy[:cap(lastRoomy)]) }

func shortened(n int) []int {
	list := make([]int, n) // want needs an owner; no patch; 4096+1024
	list[0] = 1
	return list[:4]
}

// ShortenedSum is done with the memory.
func ShortenedSum(n int) (sum int) {
	list := shortened(n)
	for i, v := range list {
		sum += i + v
	}
	return sum
}

// Shortened keeps it.
func Shortened(n int) { lastRoomy = shortened(n) }
