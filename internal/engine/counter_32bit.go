//go:build go1.25 && (basin_sched || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm))

package engine

import "github.com/basin-go/basin/internal/sched"

// A counter has one writer at a time and any number of readers. On 32-bit machines a plain 64-bit
// store takes two instructions, and a reader between them would see half of it. So the counter is
// atomic.
type counter struct{ n sched.Uint64 }

// Only the writer may call get and add.
func (c *counter) get() uint64  { return c.n.Load() }
func (c *counter) add(n uint64) { c.n.Store(c.n.Load() + n) }

// Everyone else must call peek.
func (c *counter) peek() uint64 { return c.n.Load() }
