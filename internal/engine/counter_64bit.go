//go:build go1.25 && !basin_sched && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm)

package engine

import "sync/atomic"

// A counter has one writer at a time and any number of readers. On machines with 64-bit words the
// writer's stores are never torn, so it needs no atomics.
type counter uint64

// Only the writer may call get and add.
func (c *counter) get() uint64  { return uint64(*c) }
func (c *counter) add(n uint64) { *c += counter(n) }

// Everyone else must call peek.
func (c *counter) peek() uint64 { return atomic.LoadUint64((*uint64)(c)) }
