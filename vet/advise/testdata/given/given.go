// Package corpus makes readers and writers of arguments that may be such already.
package corpus

import (
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"net/http"
)

// First reads a line. If it is given a bufio.Reader, the rest stays there.
func First(r io.Reader) (string, error) {
	b := bufio.NewReader(r) // want pool it by bufio.NewReader, bufio.NewReaderSize; patch; 4096
	return b.ReadString('\n')
}

const small = 64

// FirstOf does the same with a smaller reader.
func FirstOf(r io.Reader) (string, error) {
	b := bufio.NewReaderSize(r, small) // want pool it by bufio.NewReaderSize; patch; 4096
	return b.ReadString('\n')
}

// FirstSized has a size that its caller names.
func FirstSized(r io.Reader, size int) (string, error) {
	b := bufio.NewReaderSize(r, size) // want pool it by bufio.NewReaderSize; no patch; 4096
	return b.ReadString('\n')
}

// FirstHere has a size that the rest of the file does not know.
func FirstHere(r io.Reader) (string, error) {
	const size = 100
	b := bufio.NewReaderSize(r, size) // want pool it by bufio.NewReaderSize; no patch; 4096
	return b.ReadString('\n')
}

// Twice sets a variable again.
func Twice(r, s io.Reader) (text string, err error) {
	var b *bufio.Reader
	b = bufio.NewReader(r) // want pool it by bufio.NewReader, bufio.NewReaderSize; patch; 4096
	text, err = b.ReadString('\n')
	if err != nil {
		return text, err
	}
	b = bufio.NewReaderSize(s, 1<<13) // want pool it by bufio.NewReaderSize; patch; 8192
	more, err := b.ReadString('\n')
	return text + more, err
}

// Written writes to a bufio.Writer, which it does not flush if it was given that.
func Written(w io.Writer, text string) error {
	b := bufio.NewWriterSize(w, 32) // want pool it by bufio.NewWriterSize; patch; 4096
	if _, err := b.WriteString(text); err != nil {
		return err
	}
	if w == io.Writer(b) {
		return nil
	}
	return b.Flush()
}

// Within makes its reader in a larger expression.
func Within(r io.Reader) (string, error) {
	return line(bufio.NewReader(r)) // want pool it by bufio.NewReader, bufio.NewReaderSize; patch; 4096
}

func line(b *bufio.Reader) (string, error) { return b.ReadString('\n') }

// OfReader may get back its argument, of which the compiler knows the type.
func OfReader(r *bufio.Reader) (string, error) {
	b := bufio.NewReaderSize(r, 1<<13) // want needs an owner by bufio.NewReaderSize; no patch; 8192
	return b.ReadString('\n')
}

// OfBody cannot be given a bufio.Reader, which has no Close.
func OfBody(r *http.Response) (string, error) {
	b := bufio.NewReaderSize(r.Body, 1<<13) // want pool it by bufio.NewReaderSize; patch; 8192
	return b.ReadString('\n')
}

// OfCall has an argument that it must not evaluate again.
func OfCall(next func() io.Reader) (string, error) {
	b := bufio.NewReader(next()) // want pool it by bufio.NewReader, bufio.NewReaderSize; no patch; 4096
	return b.ReadString('\n')
}

// Any reads from a value of a type parameter.
func Any[R io.Reader](r R) (string, error) {
	b := bufio.NewReader(r) // want pool it by bufio.NewReader, bufio.NewReaderSize; no patch; 4096
	return b.ReadString('\n')
}

// Kept keeps its reader.
func Kept(r io.Reader) *bufio.Reader {
	b := bufio.NewReader(r) // want needs an owner by bufio.NewReader, bufio.NewReaderSize; no patch; 4096
	b.Peek(1)
	return b
}

// Fields counts those of one record.
func Fields(r io.Reader) (int, error) {
	c := csv.NewReader(r) // want pool it by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	record, err := c.Read()
	return len(record), err
}

// FieldsOfBody reads from an interface that a bufio.Reader does not implement.
func FieldsOfBody(r *http.Response) (int, error) {
	c := csv.NewReader(r.Body) // want pool it by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	record, err := c.Read()
	return len(record), err
}

// Number decodes a number. If it is given a reader of bytes, the rest stays there.
func Number(r io.Reader) (n int, err error) {
	d := xml.NewDecoder(r) // want pool it by encoding/xml.NewDecoder, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	err = d.Decode(&n)
	return n, err
}

// Picture makes its own encoder.
func Picture(w io.Writer, m image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return e.Encode(w, m) // want pool it by image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; patch; 4096
}

// Pictures has its encoder made within a statement, for each round of a loop.
func Pictures(w io.Writer, all []image.Image) error {
	for _, m := range all {
		if err := (&png.Encoder{}).Encode(w, m); err != nil { // want pool it by image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; patch; 4096
			return err
		}
	}
	return nil
}

// Simple uses the function of the package.
func Simple(w io.Writer, m image.Image) error {
	return png.Encode(w, m) // want pool it by image/png.Encode, image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; patch; 4096
}

// By is given an encoder.
func By(e *png.Encoder, w io.Writer, m image.Image) error {
	return e.Encode(w, m) // want pool it by image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; no patch; 4096
}

// Named has fields without names.
func Named(w io.Writer, m image.Image) error {
	e := png.Encoder{png.BestSpeed, nil}
	return e.Encode(w, m) // want pool it by image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; no patch; 4096
}
