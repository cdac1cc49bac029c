// Strings alias a buffer that is recycled.
package pyroscope5116

import (
	"io"
	"unsafe"

	"shapes/pyroscope5116/decode"
)

func yolo(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }

func BugTable(r io.Reader) []string {
	b := decode.Buffer(r)
	defer decode.Recycle(b)
	return decode.Table(b) // BUG
}

func BugYolo(r io.Reader, names map[string]int) {
	b := decode.Buffer(r)
	names[yolo(b)]++  // BUG
	decode.Recycle(b) // ALSO
}

func LegalTable(r io.Reader) int {
	b := decode.Buffer(r)
	defer decode.Recycle(b)
	return len(decode.Table(b))
}

func LegalLookup(r io.Reader, names map[string]int) int {
	b := decode.Buffer(r)
	defer decode.Recycle(b)
	return names[yolo(b)]
}

func LegalCopies(r io.Reader) []string {
	b := decode.Buffer(r)
	defer decode.Recycle(b)
	return decode.CopiedTable(b)
}
