//go:build go1.25

package basinhttp

// FindGarbage fills in what the report says about garbage.
func FindGarbage(r *Report) { r.garbage() }
