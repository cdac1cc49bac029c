//go:build !race

package bytebuf

const raceEnabled = false
