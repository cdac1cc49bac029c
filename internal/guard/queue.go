//go:build go1.25

package guard

// A queue is a list of pointers to structs with links, in the order of add.
type queue[T linked[T]] struct{ first, last T }

// links are the neighbours of an element of a queue.
type links[T any] struct{ older, newer T }

type linked[T any] interface {
	comparable
	at() *links[T]
}

func (l *links[T]) at() *links[T] { return l }

func (q *queue[T]) add(x T) {
	var none T
	x.at().older = q.last
	if q.last == none {
		q.first = x
	} else {
		q.last.at().newer = x
	}
	q.last = x
}

func (q *queue[T]) remove(x T) {
	var none T
	l := x.at()
	if l.older == none {
		q.first = l.newer
	} else {
		l.older.at().newer = l.newer
	}
	if l.newer == none {
		q.last = l.older
	} else {
		l.newer.at().older = l.older
	}
	*l = links[T]{}
}
