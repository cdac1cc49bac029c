//go:build race

package basin_test

// raceEnabled says that every access is watched by the race detector, which makes
// all of it ten times as slow.
const raceEnabled = true
