package corpus

import (
	"strings"
	"unicode"
)

type numbers []float64

// Spread and Mean get slices of helpers, and let them go nowhere.
func Spread(in numbers) float64 {
	low, all, err := scaled(in, 2)
	if err != nil {
		return -1
	}
	high := low
	for _, v := range all {
		high = max(high, v)
	}
	return high - low
}

func Mean(a, b numbers) (sum float64) {
	a, b = shifted(a), shifted(b)
	for i := range a {
		sum += a[i] + b[i]
	}
	return sum / float64(len(a)+len(b))
}

func scaled(in numbers, by float64) (low float64, all []float64, err error) {
	if len(in) == 0 {
		return 0, nil, errEmpty
	}
	low = in[0] * by
	all = make([]float64, len(in)) // want pool it; patch; 2400
	for i, v := range in {
		all[i] = v * by
		low = min(low, all[i])
	}
	return low, all, nil
}

func shifted(in numbers) numbers {
	out := make(numbers, len(in)) // want pool it; patch; 2400
	for i, v := range in {
		out[i] += v + 1
	}
	return out
}

type emptyError struct{}

func (emptyError) Error() string { return "empty" }

var errEmpty error = emptyError{}

// One of the callers returns the slice.
func Ranks(in numbers) numbers { return ranks(in) }
func First(in numbers) float64 {
	r := ranks(in)
	return r[0]
}

func ranks(in numbers) numbers {
	out := make(numbers, len(in)) // want pool it; no patch; 2400
	copy(out, in)
	return out
}

// One of the callers extends the slice.
func Extra(in numbers) int {
	all := doubled(in)
	all = append(all, 1)
	return len(all)
}

func doubled(in numbers) numbers {
	out := make(numbers, len(in)) // want needs an owner; no patch; 2400
	copy(out, in)
	return out
}

// The caller has no variable for it.
func Last(in numbers) float64 { return halved(in)[len(in)-1] }

func halved(in numbers) numbers {
	out := make(numbers, len(in)) // want pool it; no patch; 2400
	for i, v := range in {
		out[i] = v / 2
	}
	return out
}

// Others may call it.
func Squared(in numbers) numbers {
	out := make(numbers, len(in)) // want needs an owner; no patch; 2400
	for i, v := range in {
		out[i] = v * v
	}
	return out
}

func SumSquared(in numbers) (sum float64) {
	all := Squared(in)
	for _, v := range all {
		sum += v
	}
	return sum
}

// Spaces has the runes of an expression.
func Spaces(s string) (n int) {
	all := []rune(strings.TrimSpace(s)) // want pool it; patch; 2400
	for i := range all {
		if unicode.IsSpace(all[i]) {
			n++
		}
	}
	return n + 100*len(all)
}
