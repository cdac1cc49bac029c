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
