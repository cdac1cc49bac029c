package corpus

import (
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
)

func results() string {
	var b strings.Builder
	for _, all := range [][]string{nil, {"a"}, {"b", "cd"}, strings.Fields(strings.Repeat("word ", 100))} {
		fmt.Fprintf(&b, "%q %d ", Text(all), Sizes(all))
		if len(all) > 0 {
			fmt.Fprint(&b, Write(&b, all), Write(failing{}, all))
		}
		fmt.Fprint(&b, Newest("new"), Pages(all))
		fmt.Fprint(&b, Print(all))
		text, params := Query(all)
		fmt.Fprint(&b, text, params, Quoted(&b, all), Quoted(failing{}, all))
		rows, length := Report(len(all))
		fmt.Fprint(&b, rows, length, Join(&b, all), Join(failing{}, all))
		fmt.Fprintf(&b, "%q", Direct(all))
		l := Lines(all)
		fmt.Fprintf(&b, " %q %v %q\n", l, l == nil, Sorted(all))
		fmt.Fprintf(&b, "%v\n", recovered(all))
	}
	for _, n := range []int{0, 1, 100} {
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
		first := Packet(all)
		second := Packet(all)
		clear(second)
		fmt.Fprintf(&b, "%x %d\n", first, Count(n))
	}
	for _, text := range []string{"\x00", "äö\x00", "äöü"} {
		data, whole := Runes([]rune(text))
		fmt.Fprintf(&b, "%q %v %v\n", data, data == nil, whole)
	}
	fmt.Fprintln(&b, Nested(5))
	return b.String()
}

func recovered(all []string) (v any) {
	defer func() { v = recover() }()
	Write(io.Discard, all)
	return nil
}

type failing struct{}

func (failing) Write(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return 0, io.ErrShortWrite
}

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	first := results()
	if sum := crc32.ChecksumIEEE([]byte(first)); sum != 0xa380db39 {
		t.Errorf("%08x: %s", sum, first)
	}
	done := make(chan string)
	for range 4 {
		go func() { done <- results() }()
	}
	for range 4 {
		if again := <-done; again != first {
			t.Errorf("%s\n, want %s", again, first)
		}
	}
}
