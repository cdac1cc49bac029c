//go:build go1.25

package basinhttp

// FindGarbage fills in the fields about garbage.
func FindGarbage(r *Report) { r.garbage() }
