// A request's body buffer is released by the middleware and by the caller.
package resty745

import (
	"errors"

	"shapes/resty745/body"
)

var errRetry = errors.New("retry")

func BugTwice(r *body.Request, send func(*body.Request) error) error {
	r.Buf = body.Acquire()
	err := send(r)
	if err != nil {
		r.ReleaseBuf()
	}
	body.Release(r.Buf) // BUG
	return err
}

func BugHelper(send func([]byte) error) error {
	b := body.Acquire()
	defer body.Release(b)               // BUG
	return body.SendAndRelease(b, send) // ALSO
}

func BugLoop(n int, send func([]byte) error) {
	b := body.Acquire()
	for range n {
		if err := send(b.Bytes()); err != nil { // ALSO
			body.Release(b) // BUG
			continue
		}
	}
	body.Release(b) // ALSO
}

func LegalOnce(r *body.Request, send func(*body.Request) error) error {
	r.Buf = body.Acquire()
	err := send(r)
	r.ReleaseBuf()
	return err
}

func LegalNil(r *body.Request, send func(*body.Request) error) error {
	r.Buf = body.Acquire()
	err := send(r)
	if err != nil {
		body.Release(r.Buf)
		r.Buf = nil
	}
	if r.Buf != nil {
		body.Release(r.Buf)
		r.Buf = nil
	}
	return err
}

func LegalHelper(send func([]byte) error) error {
	return body.SendAndRelease(body.Acquire(), send)
}

func LegalLoop(n int, send func([]byte) error) {
	for range n {
		b := body.Acquire()
		if err := send(b.Bytes()); err != nil {
			body.Release(b)
			continue
		}
		body.Release(b)
	}
}

func LegalRetry(n int, send func([]byte) error) {
	b := body.Acquire()
	for range n {
		if err := send(b.Bytes()); errors.Is(err, errRetry) {
			body.Release(b)
			b = body.Acquire()
			continue
		}
		break
	}
	body.Release(b)
}
