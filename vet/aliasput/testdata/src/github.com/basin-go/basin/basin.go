// Package basin stands for the real one.
package basin

import "io"

func Get(n int) []byte                  { return make([]byte, n) }
func Put(b []byte)                      {}
func Clone(b []byte) []byte             { return append([]byte(nil), b...) }
func ReadAll(io.Reader) ([]byte, error) { return nil, nil }

type Pool[T any] struct{ New func() T }

func (p *Pool[T]) Get() T { return p.New() }
func (p *Pool[T]) Put(T)  {}
