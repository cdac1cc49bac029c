// Package zerolog stands in for the real one: Msg and Send end an event.
package zerolog

import "sync"

type Event struct{ buf []byte }

var events = sync.Pool{New: func() any { return new(Event) }}

type Logger struct{}

func (Logger) Info() *Event {
	e := events.Get().(*Event)
	e.buf = e.buf[:0]
	return e
}

func (l Logger) Error() *Event { return l.Info() }

func (e *Event) Str(key, value string) *Event {
	if e == nil {
		return e
	}
	e.buf = append(e.buf, key...)
	e.buf = append(e.buf, value...)
	return e
}

func (e *Event) Int(key string, value int) *Event { return e.Str(key, "") }
func (e *Event) Err(err error) *Event             { return e.Str("error", err.Error()) }

func (e *Event) Msg(text string) {
	if e == nil {
		return
	}
	e.buf = append(e.buf, text...)
	events.Put(e)
}

func (e *Event) Msgf(format string, v ...any) { e.Msg(format) }
func (e *Event) Send()                        { e.Msg("") }

type Array struct{ buf []byte }

var arrays = sync.Pool{New: func() any { return new(Array) }}

func (a *Array) Str(value string) *Array { a.buf = append(a.buf, value...); return a }

func (a *Array) Dict(e *Event) *Array {
	a.buf = append(a.buf, e.buf...)
	events.Put(e)
	return a
}

func (e *Event) CreateArray() *Array { return arrays.Get().(*Array) }
func (e *Event) CreateDict() *Event  { return events.Get().(*Event) }

func (e *Event) Array(key string, a *Array) *Event {
	e.buf = append(e.buf, a.buf...)
	arrays.Put(a)
	return e.Str(key, "")
}
