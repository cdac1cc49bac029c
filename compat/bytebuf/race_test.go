//go:build go1.25 && race

package bytebuf

const raceEnabled = true
