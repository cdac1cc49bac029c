//go:build !race

package basin_test

const raceEnabled = false
