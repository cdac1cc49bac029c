//go:build basin_sched || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm)

package engine

import "github.com/basin-go/basin/internal/sched"

// A counter has one writer at a time and any number of readers. A plain 64-bit
// store would be two on this machine, with half a counter for a reader between.
type counter struct{ n sched.Uint64 }

// get and add are for the writer.
func (c *counter) get() uint64  { return c.n.Load() }
func (c *counter) add(n uint64) { c.n.Store(c.n.Load() + n) }

// peek is for everybody else.
func (c *counter) peek() uint64 { return c.n.Load() }
