package corpus

import (
	"io"
	"slices"
)

var saved [][]byte

func ListAppended(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	saveAll(b)
}

func saveAll(parts ...[]byte) { saved = append(saved, parts...) }

func ListCopied(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	copyAll(b)
}

func copyAll(parts ...[]byte) { copy(saved, parts) }

func ListElement(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	first(b)
}

func first(parts ...[]byte) { latest = parts[0] }

func Inserted(w io.Writer, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	w.Write(slices.Insert(b, 0, 1))
	w.Write(b)
}

func StructValue(n int) conn {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return conn{buf: b}
}

func StructPassed(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	saveStruct(conn{buf: b})
}

func saveStruct(c conn) { latest = c.buf }

func Method(c *conn, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	f := c.keep
	f(b)
}

func Recursive(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	b = make([]byte, n) // want needs an owner; no patch; 4096
	return Recursive(b, n-1)
}

func NamedResult(n int) (out []byte, err error) {
	defer func() { recover() }()
	out = make([]byte, n) // want needs an owner; no patch; 4096
	return
}

func Deferred(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	defer func() { latest = b }()
}
