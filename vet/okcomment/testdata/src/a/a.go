package a

import "sync"

type item struct{ n int }

var pool = sync.Pool{New: func() any { return new(item) }}

func silenced() int {
	i := pool.Get().(*item)
	pool.Put(i)
	//basin:ok the test wants to see what happens
	return i.n
}

func onTheLine() int {
	i := pool.Get().(*item)
	pool.Put(i)
	return i.n //basin:ok so does this one
}

func withoutReason() int {
	i := pool.Get().(*item)
	pool.Put(i)
	return i.n /* want `without a reason` */ //basin:ok
}

func unused() int {
	i := pool.Get().(*item)
	defer pool.Put(i)
	return i.n /* want `unused` */ //basin:ok there is nothing wrong
}

//basin:okay is another word

func spaced() int {
	i := pool.Get().(*item)
	pool.Put(i)
	return i.n /* want `write //basin:ok, without the space` */ // basin:ok it looks right
}
