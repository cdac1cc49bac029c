// Package basin stands for the real one.
package basin

type Pool[T any] struct {
	Reset func(T) T
	New   func() T
	Drop  func(T)
	Name  string
}

func (p *Pool[T]) Get() (x T) { return x }
func (p *Pool[T]) Put(T)      {}

func Get(int) []byte { return nil }
func Put([]byte)     {}
