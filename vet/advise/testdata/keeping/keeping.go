// Package corpus has a writer and an unmarshaler that break their contracts.
package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

type logWriter struct{ lines chan []byte }

// Log gives a logWriter away, so that any writer may be one.
func Log(lines chan []byte) io.Writer { return &logWriter{lines} }

func (l *logWriter) Write(p []byte) (int, error) {
	l.lines <- p
	return len(p), nil
}

// counter keeps nothing itself.
type counter struct{ w io.Writer }

func (c *counter) Write(p []byte) (int, error) { return c.w.Write(p) }

type raw struct{ data []byte }

func (r *raw) UnmarshalJSON(b []byte) error {
	r.data = b
	return nil
}

func Write(w io.Writer, n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	_, err := w.Write(b)
	return err
}

func Print(w io.Writer, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	fmt.Fprintf(w, "%s", b)
}

func Static(c *counter, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	c.Write(b)
}

func Decode(r io.Reader) (v raw, err error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(b, &v)
}

func Read(r io.Reader, n int) (int, error) {
	b := make([]byte, n) // want pool it; patch; 4096
	return r.Read(b)
}

// render has callers with Buffers only.
func render(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	_, err := w.Write(b)
	return err
}

func Rendered(n int) (string, error) {
	var buf bytes.Buffer
	err := render(&buf, n)
	return buf.String(), err
}

// relay has a caller with a logWriter.
func relay(w io.Writer, n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	_, err := w.Write(b)
	return err
}

func Relayed(lines chan []byte, n int) error {
	return relay(io.MultiWriter(io.Discard, &logWriter{lines}), n)
}

// forward has a caller with a writer that passes memory on to any writer.
func forward(w io.Writer, n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	_, err := w.Write(b)
	return err
}

func Forwarded(w io.Writer, n int) error { return forward(&counter{w}, n) }

// DecodeNumber has no place for a raw.
func DecodeNumber(r io.Reader) (v struct{ N []int }, err error) {
	b, err := io.ReadAll(r) // want pool it by io.ReadAll; patch; 4096
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(b, &v)
}

func DecodeMap(r io.Reader) (v map[string]*raw, err error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(b, &v)
}
