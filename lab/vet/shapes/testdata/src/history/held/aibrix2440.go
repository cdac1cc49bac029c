package held

import (
	"errors"
	"io"
	"sync"
)

// vllm-project/aibrix#2440: a context is put when the headers were handled, and the
// loop goes on with it.
type routingContext struct {
	RequestID string
	model     string
	updated   bool
}

var rctxPool = sync.Pool{New: func() any { return new(routingContext) }}

func newRoutingContext(id string) *routingContext {
	r := rctxPool.Get().(*routingContext)
	r.RequestID, r.updated = id, false
	return r
}

func (r *routingContext) Delete() { rctxPool.Put(r) }

func handleHeaders(r *routingContext, status int) (err error) {
	defer func() {
		if status >= 500 {
			r.Delete()
		}
	}()
	if status >= 500 {
		return errors.New("failed")
	}
	r.model = "m"
	return nil
}

func BugProcess2440(recv func() (int, error), done func(string)) error {
	var rctx *routingContext
	for {
		status, err := recv()
		if err == io.EOF {
			if rctx != nil {
				done(rctx.RequestID) // BUG
			}
			return nil
		}
		if rctx == nil {
			rctx = newRoutingContext("id")
		}
		if err := handleHeaders(rctx, status); err != nil {
			continue
		}
	}
}
