package more

import (
	"net/http"
	"sync"
)

// labstack/echo, 3cd1d5b: values of four types are got from the pool of one.
type (
	reqValue   struct{ r *http.Request }
	headValue  struct{ h http.Header }
	respValue  struct{ w http.ResponseWriter }
	httpPools  struct{ request, header, response sync.Pool }
	echoServer struct {
		pool    *httpPools
		handler func(*reqValue, *respValue)
	}
)

func newEcho() *echoServer {
	return &echoServer{pool: &httpPools{
		request:  sync.Pool{New: func() any { return &reqValue{} }},
		header:   sync.Pool{New: func() any { return &headValue{} }},
		response: sync.Pool{New: func() any { return &respValue{} }},
	}}
}

func (s *echoServer) BugServe(w http.ResponseWriter, r *http.Request) {
	req := s.pool.request.Get().(*reqValue)
	head := s.pool.request.Get().(*headValue) // BUG
	res := s.pool.response.Get().(*respValue)
	req.r, head.h, res.w = r, r.Header, w
	s.handler(req, res)
	s.pool.request.Put(req)
	s.pool.header.Put(head)
	s.pool.response.Put(res)
}

func (s *echoServer) fixedServe(w http.ResponseWriter, r *http.Request) {
	req := s.pool.request.Get().(*reqValue)
	res := s.pool.response.Get().(*respValue)
	req.r, res.w = r, w
	s.handler(req, res)
	s.pool.request.Put(req)
	s.pool.response.Put(res)
}
