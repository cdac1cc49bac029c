//go:build go1.25

// Package leaks is for modules in compat whose originals let users keep values: checks then report no leak.
// Programs import these modules, not this package, which may change at any time. It cannot be internal: in place of
// their originals, the modules have other paths.
package leaks

import "github.com/basin-go/basin/internal/check"

// Permit says that values of each basin.Pool with the given name need not be put. Call it before the first use of
// the pools.
func Permit(pool string) { check.PermitLeaks(pool) }
