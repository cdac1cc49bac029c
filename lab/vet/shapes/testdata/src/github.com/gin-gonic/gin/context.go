// Package gin stands in for the real one: a Context belongs to its handler.
package gin

import "net/http"

type Context struct {
	Request *http.Request
	Keys    map[string]any
}

func (c *Context) Copy() *Context {
	d := *c
	return &d
}

func (c *Context) Next()                       {}
func (c *Context) Param(key string) string     { return key }
func (c *Context) Query(key string) string     { return key }
func (c *Context) JSON(code int, v any)        {}
func (c *Context) String(code int, s string)   {}
func (c *Context) GetString(key string) string { s, _ := c.Keys[key].(string); return s }

type HandlerFunc func(*Context)

type Engine struct{}

func New() *Engine                                  { return &Engine{} }
func (e *Engine) GET(path string, h ...HandlerFunc) {}
func (e *Engine) Use(h ...HandlerFunc)              {}
