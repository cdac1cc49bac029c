package corpus

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Group declares its slice beside others.
func Group(all []string) string {
	var (
		longest int
		words   []string // that are long
		err     error
	)
	for _, s := range all {
		if len(s) > longest {
			longest = len(s)
			words = append(words, s) // want pool it; patch; 4096+8192
		}
	}
	if longest == 0 {
		err = io.EOF
	}
	return fmt.Sprint(strings.Join(words, ","), err)
}

// Grouped returns it, and has a value before.
func Grouped(all []string) ([]byte, int) {
	var (
		first = make([]byte, 5, 10)
		out   []byte
	)
	for _, s := range all {
		out = append(out, s...) // want pool it; patch; 4096+8192
		first[0]++
	}
	return out, int(first[0])
}

// Begun begins with a capacity.
func Begun(all []string) (n int) {
	var (
		sum   int
		parts = make([]string, 0, 4)
	)
	for _, s := range all {
		if s != "" {
			parts = append(parts, s) // want pool it; patch; 4096+8192
		}
		sum += len(s)
	}
	return sum + len(parts)
}

// Later has a capacity that depends on another variable of the group.
func Later(all []string) (n int) {
	var (
		sum   = len(all)
		parts = make([]string, 0, 2*sum)
	)
	for _, s := range all {
		if s != "" {
			parts = append(parts, s) // want pool it; no patch; 4096+8192
		}
	}
	return sum + len(parts)
}

// Shares has another variable of the group begin with the same array.
func Shares(all []string) int {
	var (
		parts = make([]string, 0, 4)
		same  = parts
	)
	for _, s := range all {
		if s != "" {
			parts = append(parts, s) // want pool it; no patch; 4096+8192
		}
	}
	return len(same[:cap(same)]) + len(parts)
}

// Reads has another variable of the group depend on it.
func Reads(all []string) int {
	var (
		parts = make([]string, 0, 4)
		begin = len(parts)
	)
	for _, s := range all {
		if s != "" {
			parts = append(parts, s) // want pool it; no patch; 4096+8192
		}
	}
	return begin + len(parts)
}

// Both has a Buffer.
func Both(w io.Writer, n int) error {
	var (
		buf bytes.Buffer
		err error
	)
	for i := range n {
		fmt.Fprintln(&buf, i) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	}
	_, err = buf.WriteTo(w)
	return err
}

type joiner struct{ out []byte }

func (j *joiner) add(s string) {
	j.out = append(j.out, s...) // want pool it; patch; 4096
}

// Joined has a struct.
func Joined(all []string) string {
	var (
		n int
		j joiner
	)
	for _, s := range all {
		j.add(s)
		n++
	}
	return fmt.Sprint(n, string(j.out))
}
