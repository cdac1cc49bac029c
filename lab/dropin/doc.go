// Package dropin shows that the modules in compat behave like their originals.
//
//   - TestOriginals puts each module in place of its original, as users do with replace, and
//     runs the original's own tests: those of its module zip, changed as cases.go says.
//     They run once more with full checks.
//   - TestAPI compares the exported API with the original's, or where that is not on the
//     module proxy, with testdata/api.txt.
//   - TestGoLine puts a module in place of its original in programs whose go.mod files name an
//     older Go. Their go lines must stay, and so must the meaning of their loops.
//   - TestDependents does the same with programs that use the originals. It takes minutes,
//     and runs only with BASIN_TEST_DEPENDENTS=1.
//   - TestRatios measures both side by side. It runs only with BASIN_TEST_RATIOS=1, and with
//     BASIN_TEST_ONLY=TEXT just the workloads whose names contain the text.
//
// All are skipped with -short.
package dropin
