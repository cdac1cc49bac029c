// Package dropin shows that the modules in compat behave like their originals.
//
//   - TestOriginals puts each module in place of its original, as users do with replace, and
//     runs the tests in the original's module zip, changed as cases.go says: without checks, and
//     with full checks. It runs only with BASIN_TEST_LONG=1.
//   - TestAPI compares the exported API with the original's, or with testdata/api.txt if the
//     original cannot be downloaded.
//   - TestGoLine puts a module in place of its original in programs whose go.mod files name an
//     older Go. Their go lines must stay, and so must the meaning of their loops.
//   - TestClone puts each module in place of its original from a clone of this repository, with two
//     lines in go.mod.
//   - TestExamples compares what the example programs of bytespool print.
//   - TestDependents runs the tests of programs that use the originals, with the originals and
//     with the modules. It takes minutes, and runs only with BASIN_TEST_DEPENDENTS=1.
//   - TestRatios and TestCosts measure both side by side. They run only with
//     BASIN_TEST_RATIOS=1, and with BASIN_TEST_ONLY=TEXT just workloads whose names contain the
//     text.
//
// Not every module proxy has all originals and all of these programs. BASIN_TEST_ORIGINALS names a folder with
// clones of the others: bytespool, zeropool, bytesf, poolShark, atreugo, http2 and go-mplex. Without them, some tests
// are skipped.
package dropin
