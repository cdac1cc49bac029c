// A program whose calls of modules in compat go fix replaces.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/intel-go/bytebuf"
	pool "github.com/libp2p/go-buffer-pool"
)

type record struct {
	body bytebuf.Buffer
	next *bytebuf.Buffer
}

func write(w io.Writer, first *bytebuf.Buffer) {
	b := bytebuf.New()
	defer b.Reset()
	b.WriteString(strings.Repeat("a", bytebuf.MinRead/64))
	b.WriteTo(w)
	first.WriteTo(w)
}

func main() {
	r := record{next: bytebuf.NewBuffer([]byte("b"))}
	defer bytebuf.NewBufferString("never read").Reset()
	r.body.WriteString("c")
	write(os.Stdout, r.next)
	write(os.Stdout, &r.body)
	make := bytebuf.NewBufferString // a value, which stays
	fmt.Println(make("d").Len(), pool.MinRead, pool.MaxLength)
	s := pool.Get(10)
	defer pool.Put(s)
	fmt.Println(len(s))
}
