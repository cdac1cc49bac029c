// Package channel sends memory of pools through helpers.
package channel

import (
	"context"
	"sync"
)

type result struct{ rows []int }

var results = sync.Pool{New: func() any { return new(result) }}

type sink struct{ ch chan *result }

func (s *sink) send(r *result) { s.ch <- r }

func (s *sink) try(r *result) bool {
	select {
	case s.ch <- r:
		return true
	default:
		return false
	}
}

func (s *sink) sendOrDone(ctx context.Context, r *result) error {
	select {
	case s.ch <- r:
		return nil
	case <-ctx.Done():
		return context.Canceled
	}
}

func send(ch chan<- *result, r *result) { ch <- r }

func (s *sink) further(r *result) { s.send(r) }

func helper(s *sink) {
	r := results.Get().(*result)
	s.send(r) // want `shared at Put`
	results.Put(r)
}

func deferred(s *sink) {
	r := results.Get().(*result)
	defer results.Put(r)
	s.send(r) // want `shared at Put`
}

func plain(ch chan *result) {
	r := results.Get().(*result)
	send(ch, r) // want `shared at Put`
	results.Put(r)
}

func twice(s *sink) {
	r := results.Get().(*result)
	s.further(r) // want `shared at Put`
	results.Put(r)
}

func inLoop(s *sink, n int) {
	for range n {
		r := results.Get().(*result)
		s.send(r) // want `shared at Put`
		results.Put(r)
	}
}

func orDone(ctx context.Context, s *sink) error {
	r := results.Get().(*result)
	defer results.Put(r)
	return s.sendOrDone(ctx, r) // want `shared at Put`
}

func tried(s *sink) {
	r := results.Get().(*result)
	if s.try(r) { // want `shared at Put`
		results.Put(r)
	}
}

// The correct twins.

func legalMoved(s *sink) {
	r := results.Get().(*result)
	s.send(r)
}

func legalTried(s *sink) {
	r := results.Get().(*result)
	if !s.try(r) {
		results.Put(r)
	}
}

func legalOrDone(ctx context.Context, s *sink) error {
	r := results.Get().(*result)
	if err := s.sendOrDone(ctx, r); err != nil {
		results.Put(r)
		return err
	}
	return nil
}

func legalAnswered(s *sink, done chan struct{}) {
	r := results.Get().(*result)
	s.send(r)
	<-done
	results.Put(r)
}

func legalReceived(s *sink) {
	r := <-s.ch
	results.Put(r)
}

func (s *sink) echo(r *result) {
	s.ch <- r
	<-s.ch
}

func legalEcho(s *sink) {
	r := results.Get().(*result)
	s.echo(r)
	results.Put(r)
}

func legalCopy(s *sink) {
	r := results.Get().(*result)
	s.send(&result{rows: append([]int(nil), r.rows...)})
	results.Put(r)
}
