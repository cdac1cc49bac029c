//go:build never

package files

var other = pool.Get()
