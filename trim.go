//go:build go1.25

package basin

import (
	"context"

	"github.com/basin-go/basin/internal/gccycle"
)

// TrimIdle makes all pools release unneeded memory in time, even if the program is idle, until ctx
// is done. A program that wants this starts a goroutine:
//
//	go basin.TrimIdle(ctx)
//
// Without TrimIdle, pools release memory only after garbage collections, and in a program that does
// not allocate, the runtime collects every two minutes. TrimIdle makes the pools look for unneeded
// memory four times per [DefaultIdleTime], which stops the world for some microseconds, unless
// collections have done so. When the pools have released much memory and release no more, TrimIdle
// collects garbage once, to free it, unless the program has collected by itself. Much means at
// least a mebibyte and an eighth of the live heap; a value of a [Pool] without a Size counts as 64
// KiB. The runtime then returns the memory to the operating system bit by bit.
//
// Each time, TrimIdle also reads the memory limit of the container, so a lowered limit takes effect
// in time. Several calls of TrimIdle at a time do no harm. It starts no goroutine of its own.
func TrimIdle(ctx context.Context) { gccycle.TrimIdle(ctx, DefaultIdleTime/4) }
