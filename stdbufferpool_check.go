//go:build go1.25

package basin

import (
	"bytes"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
)

// A bytes.Buffer does not reveal reads after Put. Writes after Put damage its poison.

// trackStd returns a bytes.Buffer with a capacity of size that t tracks.
func trackStd(t *check.Tracker, o *check.Owner, size int) *bytes.Buffer {
	b := bytes.NewBuffer(make([]byte, 0, size))
	check.Object(t, o, b, size, false)
	return b
}

// releaseStd tells the tracker that b is put, and reports misuse.
func releaseStd(t *check.Tracker, o *check.Owner, b *bytes.Buffer) check.Verdict {
	verdict, f := check.Release(t, o, b, check.Care[bytes.Buffer]{
		Held: b.Cap(),
		Poison: func(b *bytes.Buffer) {
			b.Reset()
			check.Fill(stdArray(b))
		},
		Damage: func(b *bytes.Buffer) int {
			if b.Len() > 0 {
				return 0
			}
			return check.Damage(stdArray(b))
		},
	})
	if verdict == check.Rejected {
		misuse.Report(f)
	}
	return verdict
}

// stdArray returns all storage of b, which must be empty.
func stdArray(b *bytes.Buffer) []byte {
	free := b.AvailableBuffer()
	return free[:cap(free)]
}
