package dev

import "sync"

// alibaba/sentinel-golang#149: the result of the rule checks is used after the context
// that has it was put.
type tokenResult struct {
	status int
	msg    string
	wait   int64
}

type entryContext struct {
	resource string
	result   *tokenResult
	err      error
}

type slotChain struct{ ctxPool sync.Pool }

func (c *slotChain) getContext() *entryContext { return c.ctxPool.Get().(*entryContext) }

func (c *slotChain) refurbish(ctx *entryContext) {
	if ctx != nil {
		ctx.resource = ""
		ctx.err = nil
		c.ctxPool.Put(ctx)
	}
}

type sentinelEntry struct {
	ctx *entryContext
	sc  *slotChain
}

func (e *sentinelEntry) Exit() {
	if e.sc != nil {
		e.sc.refurbish(e.ctx)
	}
}

func (c *slotChain) check(ctx *entryContext) *tokenResult {
	if len(ctx.resource) > 20 {
		ctx.result = &tokenResult{status: 1, msg: "too long"}
	}
	return ctx.result
}

func BugEntry149(c *slotChain, resource string) (*sentinelEntry, string) {
	ctx := c.getContext()
	ctx.resource = resource
	e := &sentinelEntry{ctx, c}
	r := c.check(ctx)
	if r == nil {
		return e, ""
	}
	if r.status == 1 {
		e.sc.refurbish(ctx)
		return nil, ctx.resource + ": " + r.msg // BUG
	}
	return e, ""
}

func fixedEntry149(c *slotChain, resource string) (*sentinelEntry, string) {
	ctx := c.getContext()
	ctx.resource = resource
	e := &sentinelEntry{ctx, c}
	r := c.check(ctx)
	if r != nil && r.status == 1 {
		text := ctx.resource + ": " + r.msg
		c.refurbish(ctx)
		return nil, text
	}
	return e, ""
}
