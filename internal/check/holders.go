//go:build go1.25

package check

// Holders returns the places that hold memory of pools with a ceiling, of all trackers and of none.
// Such pools know the place of each outstanding item. The figures are exact, but Gets and Puts count
// only what has changed from one call to the next. The package that knows the pools sets Holders when
// the program starts.
var Holders func(known func(a uintptr) bool) []Site
