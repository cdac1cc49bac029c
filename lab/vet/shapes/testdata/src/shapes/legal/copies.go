// Package legal is correct code that looks nearly like a bug.
package legal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/basin-go/basin"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getBuf() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func putBuf(b *bytes.Buffer) {
	if b.Cap() > 64<<10 {
		return
	}
	buffers.Put(b)
}

func CopySlicesClone(s string) []byte {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return slices.Clone(b.Bytes())
}

func CopyAppendNil(s string) []byte {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return append([]byte{}, b.Bytes()...)
}

func CopyConcat(s string) []byte {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return slices.Concat(b.Bytes(), []byte("\n"))
}

func CopyHex(s string) string {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return hex.EncodeToString(b)
}

func CopySprint(s string) string {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return fmt.Sprintf("%x", b)
}

func CopySplit(s string) []string {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return strings.Split(b.String(), ",")
}

func CopyBuilder(s string) string {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	var sb strings.Builder
	sb.Write(b)
	return sb.String()
}

func CopyUpper(s string) []byte {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return bytes.ToUpper(b)
}

func CopyJoin(a, z string) []byte {
	b := basin.Get(len(a))
	defer basin.Put(b)
	copy(b, a)
	return bytes.Join([][]byte{b, []byte(z)}, []byte(","))
}

func CopyNumber(s string) (int, error) {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return strconv.Atoi(string(b))
}

func CopyHash(s string) uint32 {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return crc32.ChecksumIEEE(b)
}

func CopyArray(s string) [16]byte {
	b := basin.Get(16)
	defer basin.Put(b)
	copy(b, s)
	return [16]byte(b)
}

func CopyElement(s string) byte {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return b[0]
}

func CopyReadFull(r io.Reader, out *[8]byte) error {
	b := basin.Get(64)
	defer basin.Put(b)
	_, err := io.ReadFull(r, b)
	*out = [8]byte(b[:8])
	return err
}

func CopyMapKey(s string, seen map[string]bool) {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	seen[string(b)] = true
}

func CopyError(s string) error {
	b := basin.Get(len(s))
	defer basin.Put(b)
	copy(b, s)
	return fmt.Errorf("bad input %q", b)
}

func CopyWrites(w io.Writer, s string) (int, error) {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return w.Write(b.Bytes())
}

func CopyWriteTo(w io.Writer, s string) (int64, error) {
	b := getBuf()
	defer putBuf(b)
	b.WriteString(s)
	return b.WriteTo(w)
}
