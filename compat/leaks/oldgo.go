//go:build !go1.25

package leaks

var _ = basin_needs_Go_1_25_or_later // for go commands that are older: see docs/compatibility.md
