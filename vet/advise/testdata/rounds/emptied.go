package corpus

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"strings"
	"sync"
)

var errFull = errors.New("full")

// Dotted reads lines in fragments, as a server of mail does.
func Dotted(next func() (string, error)) (data []byte, err error) {
	for {
		var line []byte
		for {
			fragment, err := next()
			line = append(line, fragment...) // want reuse a variable; patch; 40
			if err == nil {
				break
			}
			if err != errFull {
				return nil, err
			}
		}
		if bytes.Equal(line, []byte(".")) {
			break
		}
		if line[0] == '.' {
			line = line[1:]
		}
		data = append(data, line...)
	}
	return data, nil
}

// Labeled leaves and continues loops by their labels.
func Labeled(in [][]string) (out []string) {
next:
	for _, list := range in {
		for _, s := range list {
			b := []byte{}
			for range 2 {
				if s == "" {
					continue next
				}
				if s == "end" {
					break next
				}
				b = append(b, s...) // want reuse a variable; patch; 40
			}
			out = append(out, string(b))
		}
	}
	return out
}

// Spacious begins with room, and grows by elements in one branch.
func Spacious(in []string) (sum int) {
	for _, s := range in {
		b := make([]byte, 0, 16) // room for most
		if len(s) > 1 {
			b = append(b, '<')
		}
		b = append(b, s...) // want reuse a variable; patch; 200
		b = append(b, s...) // want reuse a variable; patch; 200
		sum = 31*sum + len(b)
		for _, c := range b {
			sum += int(c)
		}
	}
	return sum
}

// Numbers are no bytes.
func Numbers(in [][]int) (sum int) {
	for _, list := range in {
		var even []int
		for _, n := range list {
			if n%2 == 0 {
				even = append(even, n) // want reuse a variable; patch; 40
			}
		}
		for i, n := range even {
			sum += (i + 1) * n
		}
	}
	return sum
}

// Written grows a Buffer.
func Written(w io.Writer, in []string) {
	for _, s := range in {
		var b bytes.Buffer
		b.WriteString(s) // want reuse a variable by bytes.(*Buffer).WriteString; patch; 64
		w.Write(b.Bytes())
	}
}

// Elements are appended to a list.
func Elements(in []string) (out [][]byte) {
	for _, s := range in {
		var b []byte
		b = append(b, s...) // want too small; no patch; 40
		b = append(b, s...) // want too small; no patch; 40
		out = append(out, b)
	}
	return out
}

type record struct{ text []byte }

// Stored are in a struct.
func Stored(in []string, r *record) {
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want needs an owner; no patch; 400
		}
		r.text = b
	}
}

// SentRound is sent in one branch, before it grows more.
func SentRound(in []string, c chan<- []byte) (n int) {
	for _, s := range in {
		var b []byte
		if len(s) > 2 {
			b = append(b, s[:2]...)
			c <- b
		}
		b = append(b, s...) // want needs an owner; no patch; 400
		n += len(b)
	}
	return n
}

// SentOnce is the same without a loop.
func SentOnce(s string, c chan<- []byte) int {
	var b []byte
	if len(s) > 2 {
		b = append(b, s[:2]...)
		c <- b
	}
	b = append(b, s...) // want needs an owner; no patch; 400
	return len(b)
}

// SentMade is sent before another array takes the place of the first.
func SentMade(s string, c chan<- []byte) int {
	b := make([]byte, 0, 8)
	if len(s) > 2 {
		b = append([]byte(nil), s[:2]...)
		c <- b
	}
	for range 3 {
		b = append(b, s...) // want needs an owner; no patch; 400
	}
	return len(b)
}

// Captured by a goroutine.
func Going(in []string, use func([]byte)) {
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want needs an owner; no patch; 400
		}
		go func() { use(b) }()
	}
}

// Awaited after the loop.
func Awaited(in []string, w io.Writer) {
	var g sync.WaitGroup
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want needs an owner; no patch; 400
		}
		g.Add(1)
		go func() {
			defer g.Done()
			w.Write(b)
		}()
	}
	g.Wait()
}

// DeferredMade is written when all rounds are over.
func DeferredMade(w io.Writer, n int) {
	for i := range n {
		b := make([]byte, 200) // want do not pool; no patch; 200
		b[0] = 'a' + byte(i)
		defer w.Write(b)
	}
}

// DeferredGrown is so, too.
func DeferredGrown(w io.Writer, in []string) {
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want do not pool; no patch; 200
		}
		defer func() { w.Write(b) }()
	}
}

// Previous is compared in the next round.
func Previous(in []string) (same int) {
	var last []byte
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want do not pool; no patch; 400
		}
		if bytes.Equal(last, b) {
			same++
		}
		last = b
	}
	return same
}

// PreviousCaptured is so by a variable that a literal has.
func PreviousCaptured(in []string) (same int) {
	var last []byte
	check := func(b []byte) bool { return bytes.Equal(last, b) }
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want do not pool; no patch; 400
		}
		if check(b) {
			same++
		}
		last = b
	}
	return same
}

// LastOfRound has another name for a while.
func LastOfRound(in []string) (sum int) {
	for _, s := range in {
		var b, last []byte
		for range 2 {
			b = append(b, s...) // want reuse a variable; no patch; 40
			last = b
		}
		sum += len(last)
	}
	return sum
}

// Other sets the variable to memory of the caller, which a shared slice would overwrite.
func OtherMemory(in [][]byte) (sum int) {
	for _, p := range in {
		var b []byte
		for range 2 {
			b = append(b, p...) // want reuse a variable; no patch; 40
		}
		sum += len(b)
		b = p
		sum += len(b)
	}
	return sum
}

// NilOrEmpty tells them apart.
func NilOrEmpty(in []string) (empty int) {
	for _, s := range in {
		var b []byte
		if len(s) > 1 {
			b = append(b, s...) // want reuse a variable; no patch; 40
		}
		if b == nil {
			empty++
		}
	}
	return empty
}

// Room asks for it.
func Room(in []string) (room int) {
	for _, s := range in {
		var b []byte
		b = append(b, s...) // want reuse a variable; no patch; 40
		room += cap(b)
	}
	return room
}

// Behind reads elements that no append has set.
func Behind(in []string) (sum int) {
	for _, s := range in {
		b := make([]byte, 0, 64)
		b = append(b, s...) // want reuse a variable; no patch; 40
		for _, c := range b[:4] {
			sum += int(c)
		}
	}
	return sum
}

// Forked keeps a part, which another append may overwrite.
func Forked(in []string) (sum int) {
	for _, s := range in {
		var b []byte
		b = append(b, s...) // want reuse a variable; no patch; 40
		part := b
		b = append(b[:0], "xxxxxxxxxxxx"...)
		sum += int(part[0]) + len(b)
	}
	return sum
}

// Pointers would stay in the array.
func Pointers(in []*record) (n int) {
	for range 3 {
		var b []*record
		for _, r := range in {
			if r != nil {
				b = append(b, r) // want reuse a variable; no patch; 40
			}
		}
		n += len(b)
	}
	return n
}

// Renamed has another variable of that name around the loop.
func Renamed(in []string) (n int) {
	b := 3
	for _, s := range in {
		n += b
		var b []byte
		for range 2 {
			b = append(b, s...) // want reuse a variable; no patch; 40
		}
		n += len(b)
	}
	return n + b
}

// Room that is asked for may be below 0.
func Sizes(in []int) (n int) {
	for _, size := range in {
		b := make([]byte, 0, size)
		b = append(b, "xy"...) // want reuse a variable; no patch; 40
		n += len(b)
	}
	return n
}

// Outside is one slice for all rounds.
func Outside(in []string) (n int) {
	var b []byte
	for _, s := range in {
		if cap(b) < len(s) {
			b = make([]byte, 0, len(s))
		}
		b = append(b[:0], s...) // want pool it; no patch; 400
		n += len(b)
	}
	return n
}

// Collected is one slice of all rounds, which a branch sets back.
func Collected(w io.Writer, in []string) {
	var b []byte
	for _, s := range in {
		b = append(b, s...) // want pool it; patch; 400
		if len(b) > 10 {
			w.Write(b)
			b = nil
		}
	}
	w.Write(b)
}

// After has a loop before it, but none around it.
func After(w io.Writer, in []string) {
	for _, s := range in {
		io.WriteString(w, s)
	}
	var b []byte
	for _, s := range in {
		b = append(b, s...) // want pool it; patch; 400
	}
	w.Write(b)
}

// Again is made of goto.
func Again(w io.Writer, n int) {
again:
	var b []byte
	for i := range n {
		b = append(b, byte(i), byte(n)) // want reuse a variable; no patch; 40
	}
	w.Write(b)
	if n--; n > 0 {
		goto again
	}
}

// Built is a string in the end.
func Built(in []string) (out []string) {
	for _, s := range in {
		var b strings.Builder
		b.WriteString(s)
		b.WriteString(s) // want preallocate by strings.(*Builder).WriteString; no patch; 40
		out = append(out, b.String())
	}
	return out
}

// Twin grows at two lines, whose memory begins in different ways.
func Twin(w io.Writer, s string, more bool) {
	var b []byte
	if more {
		b = append(b, s...) // want pool it; patch; 400
	}
	b = append(b, s...) // want pool it; patch; 400
	w.Write(b)
}

// Three has three slices in each round, and a Buffer.
func Three(w io.Writer, in []string) {
	for _, s := range in {
		var lower, upper []byte
		var all bytes.Buffer
		figures := make([]byte, len(s)) // want reuse a variable; patch; 40
		var rest []byte
		var letters []byte
		for i := range len(s) {
			switch c := s[i]; {
			case '0' <= c && c <= '9':
				figures[i] = c
			case 'a' <= c && c <= 'z':
				letters = append(letters, c) // want reuse a variable; patch; 40
			default:
				rest = append(rest, c) // want reuse a variable; patch; 40
			}
		}
		all.Write(letters) // want reuse a variable by bytes.(*Buffer).Write; patch; 64
		all.Write(rest)
		all.Write(lower)
		all.Write(upper)
		all.Write(figures)
		w.Write(all.Bytes())
	}
}

// Jumping leaves its loops by goto.
func Jumping(in []string) (n int) {
	for _, s := range in {
		var b []byte
		for range 2 {
			b = append(b, s...) // want reuse a variable; no patch; 40
			if n > 100 {
				goto end
			}
		}
		n += len(b)
	}
end:
	return n
}

// Yielded ranges over a function, whose body is a literal.
func Yielded(in []string) (n int) {
	for s := range slices.Values(in) {
		var b []byte
		if len(s) > 1 {
			b = append(b, s[1:]...) // want reuse a variable; patch; 40
		}
		b = append(b, s...) // want reuse a variable; patch; 40
		for _, c := range b {
			n += int(c)
		}
	}
	return n
}

// YieldedKept keeps the slice of the last round.
func YieldedKept(in []string) int {
	var last []byte
	for s := range slices.Values(in) {
		var b []byte
		if len(s) > 1 {
			b = append(b, s[1:]...)
		}
		b = append(b, s...) // want do not pool; no patch; 400
		last = b
	}
	return len(last)
}
