// Package corpus has memory that methods get through interfaces, all of whose types are known.
package corpus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

type Packet interface{ Unpack(r io.Reader) error }

type Number struct{ N uint32 }

func (p *Number) Unpack(r io.Reader) error { return binary.Read(r, binary.BigEndian, &p.N) }

type Text struct{ S string }

func (p *Text) Unpack(r io.Reader) error {
	text := make([]byte, 3)
	_, err := io.ReadFull(r, text)
	p.S = string(text)
	return err
}

func packet(kind byte) (Packet, error) {
	switch kind {
	case 0:
		return &Number{}, nil
	case 1:
		return &Text{}, nil
	}
	return nil, errors.New("unknown")
}

func Read(r io.Reader, kind byte, n int) (Packet, error) {
	p, err := packet(kind)
	if err != nil {
		return nil, err
	}
	b := make([]byte, n) // want pool it; patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return p, p.Unpack(bytes.NewReader(b))
}

// Raw keeps its reader, and so may be in the place of a Packet that Reread gets.
type Raw struct{ R io.Reader }

func (p *Raw) Unpack(r io.Reader) error {
	p.R = r
	return nil
}

func Reread(p Packet, b []byte) error {
	data := make([]byte, len(b)) // want needs an owner; no patch; 4096
	copy(data, b)
	return p.Unpack(bytes.NewReader(data))
}

type item interface{ appendTo(b []byte) []byte }

type word string

func (w word) appendTo(b []byte) []byte { return append(b, w...) }

type list []item

func (l list) appendTo(b []byte) []byte {
	for _, i := range l {
		b = i.appendTo(b)
	}
	return b
}

// Items has different texts in one list.
var Items = list{word("abc"), list{word("d"), word("")}, word("ef")}

func Joined(w io.Writer, l list) error {
	for _, i := range l {
		b := make([]byte, 0, 512) // want reuse a variable; patch; 4096
		if _, err := w.Write(i.appendTo(b)); err != nil {
			return err
		}
	}
	return nil
}

func Whole(w io.Writer, i item, n int) error {
	b := make([]byte, 0, n) // want pool it; patch; 4096
	_, err := w.Write(i.appendTo(b))
	return err
}

// Rows can be read by any type, also of other modules, as with an io.Reader.
type Rows interface {
	ReadRows([]Row) (int, error)
	Next([]Row) (int, error)
}

type RowWriter interface{ WriteRows([]Row) (int, error) }

type Row struct {
	Key string
	N   *int
}

// Counted makes rows.
type Counted struct{ n, end int }

func (c *Counted) ReadRows(rows []Row) (n int, err error) {
	for n < len(rows) && c.n < c.end {
		rows[n] = Row{Key: string(rune('a' + c.n))}
		n++
		c.n++
	}
	if n == 0 {
		err = io.EOF
	}
	return n, err
}

func (c *Counted) Next(rows []Row) (int, error) { return c.ReadRows(rows) }

// Limited is around others.
type Limited struct {
	Rows Rows
	N    int
}

func (l *Limited) ReadRows(rows []Row) (int, error) {
	n, err := l.Rows.ReadRows(rows[:min(l.N, len(rows))])
	l.N -= n
	return n, err
}

func (l *Limited) Next(rows []Row) (int, error) { return l.Rows.Next(rows) }

type Keys struct{ All []string }

func (k *Keys) WriteRows(rows []Row) (int, error) {
	for _, r := range rows {
		k.All = append(k.All, r.Key)
	}
	return len(rows), nil
}

func CopyRows(w RowWriter, r Rows, n int) error {
	rows := make([]Row, n) // want pool it; patch; 4096
	for {
		n, err := r.ReadRows(rows)
		if _, err := w.WriteRows(rows[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Nexts calls a method whose name does not say so.
func Nexts(r Rows, n int) (sum int) {
	rows := make([]Row, n) // want needs an owner; no patch; 4096
	sum, _ = r.Next(rows)
	return sum
}

// Batches have an implementation that keeps them.
type Batches interface {
	WriteBatch([]int) (int, error)
	ReadBatch([]int) []int
}

type Queue struct{ all [][]int }

func (q *Queue) WriteBatch(batch []int) (int, error) {
	q.all = append(q.all, batch)
	return len(batch), nil
}

func (q *Queue) ReadBatch(batch []int) []int { return batch }

func Send(b Batches, n int) {
	batch := make([]int, n) // want needs an owner; no patch; 4096
	b.WriteBatch(batch)
}

func Fill(b Batches, n int) int {
	batch := make([]int, n) // want needs an owner; no patch; 4096
	return len(b.ReadBatch(batch))
}
