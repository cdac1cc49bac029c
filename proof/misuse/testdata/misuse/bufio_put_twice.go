//go:build go1.25

package misuse

import (
	"io"
	"strings"

	"github.com/basin-go/basin"
)

// A reader is put where an error is handled, and by a deferred call.
func bufioTwiceBug() {
	r := basin.GetReader(strings.NewReader(""))
	defer basin.PutReader(r)
	if _, err := r.ReadByte(); err == io.EOF {
		basin.PutReader(r)
	}
} // want: double Put

func bufioTwiceFixed() {
	r := basin.GetReader(strings.NewReader(""))
	defer basin.PutReader(r)
	r.ReadByte()
}

func init() { add("bufio_put_twice", bufioTwiceBug, bufioTwiceFixed) }
