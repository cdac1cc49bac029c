package demo

import (
	"io"
	"math/bits"
	"net/http"

	"github.com/basin-go/basin"
)

// powersOfTwo is basin with powers of two as capacities: the classes between them are never
// requested.
var powersOfTwo = way{name: "powers of two", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := readPowers(body)
	if err != nil {
		return err
	}
	defer basin.Put(in)
	return sendRewritten(w, in, getPower, basin.Put)
}}

func getPower(n int) []byte { return basin.Get(1 << bits.Len(uint(max(n, 64)-1)))[:n] }

// readPowers reads body as bytes.Buffer does: into a slice that doubles.
func readPowers(body io.Reader) ([]byte, error) { return readGrowing(body, 4<<10, getPower) }

// readGrowing reads body into a slice of the first size, and doubles its size whenever it is
// full.
func readGrowing(body io.Reader, first int, get func(int) []byte) ([]byte, error) {
	b := get(first)[:0]
	for {
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == io.EOF:
			return b, nil
		case err != nil:
			basin.Put(b)
			return nil, err
		}
		if len(b) == cap(b) {
			grown := append(get(2 * cap(b))[:0], b...)
			basin.Put(b)
			b = grown
		}
	}
}
