// A context that its owner has put is read afterwards.
package aibrix2440

import "shapes/aibrix2440/routing"

func BugDone(model string) string {
	ctx := routing.Acquire(model)
	ctx.Done()
	return ctx.Model // BUG
}

func BugField(model string) int {
	ctx := routing.Acquire(model)
	ctx.Tokens = 3
	routing.Finish(ctx)
	return ctx.Tokens // BUG
}

func LegalDone(model string) string {
	ctx := routing.Acquire(model)
	m := ctx.Model
	ctx.Done()
	return m
}

func LegalDeferred(model string) (s string) {
	ctx := routing.Acquire(model)
	defer ctx.Done()
	return ctx.Model
}

func LegalAgain(model string) int {
	ctx := routing.Acquire(model)
	routing.Finish(ctx)
	ctx = routing.Acquire(model)
	defer ctx.Done()
	return ctx.Tokens
}
