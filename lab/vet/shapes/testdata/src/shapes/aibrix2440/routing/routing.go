package routing

import "sync"

type Context struct {
	Model  string
	Tokens int
}

var pool = sync.Pool{New: func() any { return new(Context) }}

func Acquire(model string) *Context {
	c := pool.Get().(*Context)
	c.Model, c.Tokens = model, 0
	return c
}

func (c *Context) Done() { pool.Put(c) }

func Finish(c *Context) {
	if c.Tokens > 0 {
		c.Tokens = 0
	}
	c.Done()
}
