package engine

import "sync"

type Context struct{ Path string }

type Engine struct {
	pool     sync.Pool
	handlers []func(*Context)
}

func New() *Engine {
	e := &Engine{}
	e.pool.New = func() any { return new(Context) }
	return e
}

func (e *Engine) Take() *Context  { return e.pool.Get().(*Context) }
func (e *Engine) Give(c *Context) { e.pool.Put(c) }

// Handle serves c and gives it back.
func (e *Engine) Handle(c *Context, path string) {
	e.HandleOnly(c, path)
	e.pool.Put(c)
}

func (e *Engine) HandleOnly(c *Context, path string) {
	c.Path = path
	for _, h := range e.handlers {
		h(c)
	}
}
