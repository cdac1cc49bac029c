package held

import (
	"net/http"
	"sync"
)

// gin-gonic/gin#1230: a context that the engine puts is put by the method that handles
// it once more.
type ginContext struct {
	engine  *engine
	Request *http.Request
	index   int8
	keys    map[string]any
}

func (c *ginContext) reset() {
	c.index = -1
	c.keys = nil
}

type engine struct {
	pool   sync.Pool
	handle func(*ginContext)
}

func (e *engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := e.pool.Get().(*ginContext)
	c.Request = req
	c.reset()
	e.handle(c)
	e.pool.Put(c)
}

func (e *engine) HandleContext(c *ginContext) {
	c.reset()
	e.handle(c)
	e.pool.Put(c)
}

func (e *engine) BugRewrite1230(req *http.Request, path string) {
	c := e.pool.Get().(*ginContext)
	c.Request = req
	c.reset()
	if req.URL.Path != path {
		req.URL.Path = path
		e.HandleContext(c)
	} else {
		e.handle(c)
	}
	e.pool.Put(c) // BUG
}
