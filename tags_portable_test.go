//go:build basin_portable

package basin_test

func buildTags() string { return "basin_portable" }
