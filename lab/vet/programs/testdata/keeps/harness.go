// Programs that print what they do, before and after a tool has changed them.
package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/basin-go/basin"
)

// A T is what one program prints, and keeps for a look when its memory may be another's.
type T struct {
	out   strings.Builder
	n     int
	s     string
	kept  []byte
	all   [][]byte
	m     map[string][]byte
	p     *byte
	pb    *[]byte
	i     any
	array [1][]byte
	held  struct{ b []byte }
	own   []byte
	many  [][]byte
	c     chan []byte
	w     keeper
	buf   *bytes.Buffer
	look  func() string
	err   error
}

func (t *T) Write(p []byte) (int, error) { return t.out.Write(p) }
func (t *T) print(a ...any)              { fmt.Fprintln(&t.out, a...) }
func (t *T) keep(b []byte)               { t.all = append(t.all, b) }
func (t *T) id(b []byte) []byte          { return b }
func (t *T) two(b []byte) ([]byte, error) {
	return append([]byte("two "), b...), io.EOF
}

// A keeper keeps what is written to it, which no io.Writer should.
type keeper struct{ b []byte }

func (k *keeper) Write(p []byte) (int, error) {
	k.b = p
	return len(p), nil
}

type program struct {
	name  string
	run   func(*T)
	pools []*basin.BytePool // that it uses, other than the default one
}

var programs []program

func add(name string, run func(*T), pools ...*basin.BytePool) {
	programs = append(programs, program{name, run, append(pools, basin.Default())})
}

// overwrite takes what is idle, and scribbles on it.
func overwrite(pools []*basin.BytePool) {
	for _, p := range pools {
		var held [][]byte
		for size := 64; size <= 1<<14; size += size / 4 {
			for range 3 {
				b := p.Get(size)
				b = b[:cap(b)]
				for i := range b {
					b[i] = '#'
				}
				held = append(held, b)
			}
		}
		for _, b := range held {
			p.Put(b)
		}
	}
}

func short(b []byte) string {
	if len(b) > 20 {
		return fmt.Sprintf("%q... %d", b[:20], len(b))
	}
	return fmt.Sprintf("%q", b)
}

func main() {
	for _, p := range programs {
		for range 2 {
			t := &T{m: map[string][]byte{}, own: append(make([]byte, 0, 64), "my own"...), many: [][]byte{[]byte("one"), []byte("another")}, c: make(chan []byte, 1)}
			t.c <- []byte("received")
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.print("panic:", r)
					}
				}()
				p.run(t)
			}()
			overwrite(p.pools)
			fmt.Printf("%s: %s", p.name, t.out.String())
			fmt.Println(t.n, t.s, short(t.kept), len(t.all), short(t.m["k"]), short(t.array[0]), short(t.held.b), short(t.own), short(t.w.b), t.err)
			for _, b := range t.all {
				fmt.Println(short(b))
			}
			if t.p != nil {
				fmt.Println(*t.p)
			}
			if t.pb != nil {
				fmt.Println(short(*t.pb))
			}
			switch i := t.i.(type) {
			case []byte:
				fmt.Println(short(i))
			case *bytes.Buffer:
				fmt.Println(short(i.Bytes()))
			}
			if t.buf != nil {
				fmt.Println(short(t.buf.Bytes()))
			}
			if t.look != nil {
				fmt.Println(t.look())
			}
		}
	}
}
