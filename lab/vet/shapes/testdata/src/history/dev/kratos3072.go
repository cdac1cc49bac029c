package dev

import (
	"context"
	"net/http"
	"sync"
)

// go-kratos/kratos#3072: a context that handlers may pass to goroutines is put when the
// handler returns.
type wrapper struct {
	router *router
	req    *http.Request
	res    http.ResponseWriter
	values map[string]string
}

func (c *wrapper) Reset(res http.ResponseWriter, req *http.Request) { c.res, c.req = res, req }

func (c *wrapper) Done() <-chan struct{} {
	if c.req == nil {
		return nil
	}
	return c.req.Context().Done()
}

type router struct {
	pool   sync.Pool
	notify func(<-chan struct{})
}

func newRouter() *router {
	r := &router{}
	r.pool.New = func() any { return &wrapper{router: r} }
	return r
}

func (r *router) BugHandle3072(h func(*wrapper) error) http.HandlerFunc {
	return func(res http.ResponseWriter, req *http.Request) {
		ctx := r.pool.Get().(*wrapper)
		ctx.Reset(res, req)
		go func() { // BUG
			<-ctx.Done()
			r.notify(ctx.Done())
		}()
		if err := h(ctx); err != nil {
			http.Error(res, err.Error(), http.StatusInternalServerError)
		}
		ctx.Reset(nil, nil)
		r.pool.Put(ctx)
	}
}

var _ context.Context
