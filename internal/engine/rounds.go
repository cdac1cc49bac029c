//go:build go1.25

package engine

import (
	"time"
	"weak"

	"github.com/basin-go/basin/internal/gccycle"
)

// This file is the way by which rounds of package gccycle reach an engine, while it has something to reclaim.

// A caller is the hook by which rounds reach an engine. It does not keep the engine alive. When the
// engine is gone, the caller gives back the engine's part of the shared budget, and drops its items.
type caller[T any] struct {
	engine weak.Pointer[Engine[T]]
	within *share
	estate *estate[T]
}

// Due reports whether the engine has work at now, or is gone.
func (c *caller[T]) Due(now time.Duration) bool {
	e := c.engine.Value()
	return e == nil || now >= e.due || !e.noWork.Load()
}

// Round makes the engine reclaim. When the engine is gone, it settles the shared budget and drops
// the engine's items.
func (c *caller[T]) Round(now time.Duration, p gccycle.Pressure) (keep bool) {
	e := c.engine.Value()
	if e == nil {
		c.within.leave()
		c.estate.settle()
		return false
	}
	e.shortenIdle(p)
	gone := e.reclaim(now)
	if p == gccycle.Critical && e.prepareTrim() {
		gccycle.Later(func() { e.dropLater(append(gone, e.finishTrim()...)) }) // after one stop of the world for all engines
	} else {
		e.dropLater(gone)
	}
	return !e.sleeps()
}

// wake registers the hook unless it is registered. Work for reclaim is an item in a depot or a
// magazine in the table. A caller that creates the first of these must call wake: after paying for
// the item, or before storing the magazine. It must not be pinned.
func (e *Engine[T]) wake() {
	if !e.awake.Load() && e.awake.CompareAndSwap(false, true) && e.hook != nil {
		gccycle.RegisterDue(e.hook)
	}
}

// sleeps unregisters the hook if there is nothing to reclaim, and reports whether it did. It checks
// again after clearing awake: work that was created concurrently is either seen by this check, or
// its creator sees the cleared flag and calls wake.
func (e *Engine[T]) sleeps() bool {
	if !e.nothingToReclaim() {
		return false
	}
	e.awake.Store(false)
	return e.nothingToReclaim() || !e.awake.CompareAndSwap(false, true)
}

// nothingToReclaim reports whether reclaim may return at once.
func (e *Engine[T]) nothingToReclaim() bool {
	return e.noWork.Load() && e.idle.taken.Load() == 0 && e.table.first.Load() == nil
}
