//go:build go1.25

package main

import (
	"slices"
	"strings"
)

// A proof is a command that takes long and whose result depends on few files.
type proof struct {
	name     string
	shows    string
	packages []string // packages to test, with their tests, testdata and imports
	files    []string // other files that it depends on: names, patterns of path.Match, or directories
	alone    bool     // no other proof may run at the same time, because it tests processes under load
	command  string   // for bash, after reading scripts/versions; may use $packages, and $long: see longTests
}

// Lists of packages that several proofs run.
var (
	// The library: all packages that programs import, without separate modules.
	library = []string{".", "./internal/...", "./basincheck", "./basinexport", "./basinexpvar", "./basinhttp", "./basinio", "./basinscope", "./basintest"}
	// Exporters have dependencies.
	exporters = []string{"./basinotel", "./basinpprof", "./basinprom"}
	// Packages with unsafe code.
	unsafes = []string{"./internal/check", "./internal/engine", "./internal/guard", "./internal/pin", "./internal/mem"}
	// Packages that exercise the unsafe code.
	sanitized = []string{".", "./basinscope", "./proof/stress"}
	// Packages that depend on the runtime: its functions, collections, signals and costs.
	runtimes = []string{".", "./internal/check", "./internal/engine", "./internal/gccycle", "./internal/guard", "./internal/memlimit", "./internal/pin", "./internal/mem", "./basinscope"}
	// Tests with many users at the same time, random users, and users with known results.
	users = []string{"./proof/stress", "./proof/metamorphic", "./proof/model"}
	// Packages that other versions of Go can break.
	versioned = slices.Concat(runtimes, []string{"./basincheck", "./basinhttp", "./basinio", "./proof/stress", "./proof/misuse"})
)

// memory matches tests of code that reads and writes memory, rather than counts.
const memory = "Append|Buffer|Ceiling|Children|Clone|Config|Fixed|FullChunk|Get|Handle|Owners|PoolOf|PoolZero|Put|ReadAllGoexit|Receivers|Reuse|Scope|Shared|SmallLimits|String|Values|Zero"

// owners matches tests in which each owner of memory would see the writes of another.
const owners = "Append|Collected|Children|Own|Scope|Stress|SmallLimits|Values"

// sequential matches tests that take long and have a single user.
const sequential = "^Test(Cost.*|Environment|Faults|Get|ReadAll.*|Reuse)$"

// replaced matches tests of the modules in compat that have the go command build other modules.
const replaced = "^Test(GoLine|Clone|Fix)$"

// programs matches tests that compile and run many programs.
const programs = "Keeps|Hostile"

// A configuration that differs from the usual build runs only tests that the difference can
// break. Costs and allocations, for example, are counted in the usual build only.
var proofs = []proof{
	{
		name:     "mutants",
		shows:    "a test and a schedule notice each way in which the engine is broken on purpose",
		packages: []string{"./proof/mutants", "./proof/schedules", "./internal/engine", "./internal/gccycle", "./internal/pin", "."},
		command:  `BASIN_TEST_MUTANTS=1 go test -count=1 -timeout 30m ./proof/mutants`,
	},
	{
		name:     "schedules",
		shows:    "the engine keeps its promises in 20,000 schedules of each scenario",
		packages: []string{"./proof/schedules"},
		command:  `BASIN_TEST_SCHEDULES=20000 BASIN_TEST_PREEMPTIONS=2 go test -vet=off -tags basin_sched $packages`,
	},
	{
		name:    "model",
		shows:   "spin searches the models completely: grace periods, Trim, growth, windows, eviction, the switch of checks, limits",
		files:   []string{"proof/check", "proof/engine.pml", "proof/switch.pml", "proof/limit.pml"},
		command: `proof/check -verify '^[^cf]'`,
	},
	{
		name:    "model-classes",
		shows:   "spin searches the model of the engine completely: two classes",
		files:   []string{"proof/check", "proof/engine.pml"},
		command: `proof/check -verify ^c`,
	},
	{
		name:    "model-fit",
		shows:   "spin searches the model of the engine completely: larger classes serve smaller ones",
		files:   []string{"proof/check", "proof/engine.pml"},
		command: `proof/check -verify ^f`,
	},
	{
		name:    "refute",
		shows:   "spin refutes each mutant of the models",
		files:   []string{"proof/check", "proof/engine.pml", "proof/switch.pml", "proof/limit.pml"},
		command: `proof/check -refute`,
	},
	{
		name:    "cachelines",
		shows:   "on 64 simulated Ps, goroutines that stay on their P share no cache lines, but in mutants they do",
		files:   []string{"proof/cachelines"}, // scripts/test runs the short form when the pools change
		command: `BASIN_TEST_LONG=1 go test -vet=off ./proof/cachelines`,
	},
	{
		name:  "race",
		shows: "the race detector finds nothing, and conversions of unsafe pointers are valid",
		packages: []string{".", "./internal/check", "./internal/engine", "./internal/gccycle", "./internal/pin", "./internal/lockfree", "./basincheck", "./basinexport",
			"./basinhttp", "./basinio", "./basinscope", "./basintest", "./proof/stress", "./proof/metamorphic", "./proof/misuse"},
		command: `go test -vet=off -race -short -skip '` + sequential + `' $packages`, // -race implies -d=checkptr
	},
	{
		name:  "compat",
		shows: "the modules in compat have no race, work on 32 bits, with full checks and in old programs; go fix replaces them",
		files: []string{"compat", "lab/dropin"}, // they call basin, which is tested in these ways itself
		command: `go test -vet=off -race -short $basin/compat/...
GOARCH=386 go test -vet=off -short $basin/compat/...
BASIN_CHECK=full go test -vet=off -short $basin/compat/...
BASIN_TEST_LONG=1 go test -vet=off -run '` + replaced + `' $basin/lab/dropin`,
	},
	{
		name:  "race-tools",
		shows: "the race detector finds nothing in basin top, which survives hostile servers",
		files: []string{"cmd/internal", "cmd/go.mod", "basinexport"},
		command: `go test -vet=off -race -short $basin/cmd/internal/remote $basin/cmd/internal/top
BASIN_TEST_LONG=1 go test -vet=off $basin/cmd/internal/remote`,
	},
	{
		name:     "portable",
		shows:    "basin works without the runtime's functions",
		packages: slices.Concat(runtimes, []string{"./proof/stress", "./proof/memory"}),
		command:  `go test -vet=off -short -tags basin_portable -skip '` + sequential + `' $packages`,
	},
	{
		name:     "386",
		shows:    "basin works on 32 bits",
		packages: slices.Concat(runtimes, unsafes, users, []string{"./internal/sizeclass", "./internal/lockfree", "./basinexport", "./proof/misuse"}),
		command:  `GOARCH=386 go test -vet=off -short -skip '^Test(Faults|ReadAllFullReads|ReadAllTakesMemory.*)$' $packages`,
	},
	{
		name:     "asan",
		shows:    "the address sanitizer finds nothing",
		packages: slices.Concat(unsafes, sanitized),
		command: `go test -vet=off -asan -short ` + strings.Join(unsafes, " ") + `
go test -vet=off -asan -short -skip ^TestCost -run "` + memory + `" ` + strings.Join(sanitized, " "),
	},
	{
		name:     "collector",
		shows:    "the collector frees nothing that is in use, and marks all of it: with clobberfree, and with gccheckmark",
		packages: []string{".", "./basinscope", "./proof/stress"},
		command: `for setting in clobberfree gccheckmark; do
	GODEBUG=$setting=1 go test -vet=off -short -run "` + owners + `" $packages
done`,
	},
	{
		name:     "msan",
		shows:    "the memory sanitizer finds nothing",
		packages: slices.Concat(unsafes, sanitized),
		command: `scripts/need clang
export CC=clang
go test -vet=off -msan -short ` + strings.Join(unsafes, " ") + `
go test -vet=off -msan -short -skip '^Test(Cost.*|GetGigabyte)$' -run "` + memory + `" ` + strings.Join(sanitized, " "),
	},
	{
		name:     "checked",
		shows:    "the tests pass with full checks, stress tests with sampled ones, and nothing is reported",
		packages: []string{".", "./basincheck", "./basinio", "./basinscope", "./proof/stress", "./proof/model", "./proof/memory"},
		command: `BASIN_CHECK=full go test -vet=off -short $packages
BASIN_CHECK=sampled=2 go test -vet=off -run 'Stress|Ownership' ./proof/stress`,
	},
	{
		name:     "long",
		shows:    "tests with a long form pass in it: stress, random programs, misuse, the tests of libraries that compat replaces",
		packages: []string{".", "./basincheck", "./basinio", "./basinscope", "./basintest", "./proof/stress", "./proof/metamorphic", "./proof/misuse", "./proof/memory", "./lab/dropin", "./lab/examples/gzipping", "./basinpprof"},
		command:  `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m -run "$long" -skip '` + replaced + `' $packages`,
	},
	{
		name:    "lab",
		shows:   "each subject runs each workload, and the demo runs under load",
		files:   []string{"lab/*.go", "lab/internal"}, // scripts/test runs the short form when the measured code changes
		alone:   true,
		command: `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m $basin/lab $basin/lab/internal/...`,
	},
	{
		name:    "vet",
		shows:   "basin vet looks at code for any platform, and its fixes compile",
		files:   []string{"vet"},
		command: `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m $(go list $basin/vet/... | grep -v /advise$)`,
	},
	{
		name:    "advise",
		shows:   "patches of basin advise compile, keep every byte, and are verified; a profile of 100 MB takes little memory",
		files:   []string{"vet"},
		command: `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m $basin/vet/advise`,
	},
	{
		name:    "shapes",
		shows:   "basin vet finds the same misuse as before in many shapes of code",
		files:   []string{"vet", "lab/vet", "cmd/basin"},
		command: `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m -skip '` + programs + `' $basin/lab/vet/... $basin/cmd/basin`,
	},
	{
		name:    "programs",
		shows:   "a thousand programs print the same before and after basin vet -fix and basin migrate",
		files:   []string{"vet", "lab/vet/programs"},
		command: `BASIN_TEST_LONG=1 go test -vet=off -timeout 20m -run '` + programs + `' $basin/lab/vet/programs`,
	},
	{
		name:     "adapters",
		shows:    "adapters work, and pass the tests of the libraries that use them",
		packages: []string{"./adapters/..."},
		command:  `BASIN_TEST_LONG=1 go test -vet=off $basin/adapters/...`,
	},
	{
		name:     "platforms",
		shows:    "all packages type-check on ten platforms, and the library compiles",
		packages: slices.Concat(library, exporters, []string{"./proof/...", "./compat/...", "./cmd/...", "./vet/...", "./lab/..."}),
		files:    []string{"scripts/cross-build", "scripts/tools/crossbuild", "scripts/tools/source"},
		command:  `scripts/cross-build`,
	},
	{
		name:     "go1.25",
		shows:    "the library's tests pass with the oldest supported Go",
		packages: slices.Concat(library, exporters, versioned, []string{"./compat/..."}),
		files:    []string{"scripts/toolchain"},
		command:  otherGo("1.25"),
	},
	{
		name:     "go1.27",
		shows:    "the library's tests pass with the newest supported Go",
		packages: slices.Concat(library, exporters, versioned, []string{"./compat/..."}),
		files:    []string{"scripts/toolchain"},
		command:  otherGo("1.27"),
	},
	{
		name:  "install",
		shows: "each released module can be fetched alone and works, and go fix replaces calls of originals by basin",
		// The result depends on versions of dependencies and directives of go fix. The root has
		// neither; go.mod files always count.
		files: []string{"adapters", "basinotel", "basinpprof", "basinprom", "cmd", "compat", "vet",
			"scripts/check-install", "scripts/proxy", "scripts/testdata", "scripts/tools/modproxy"},
		command: `scripts/check-install`,
	},
	{
		name:    "page",
		shows:   "the live page works in a browser, and an accessibility checker finds nothing",
		files:   []string{"basinhttp", "basinexport", "basincheck/*.go", "stats.go", "scripts/axe", "scripts/browser"},
		command: `scripts/need chromium; GOWORK=off BASIN_TEST_BROWSER=1 go -C scripts test -vet=off -count=1 ./browser`,
	},
	{
		name:    "dashboards",
		shows:   "Prometheus evaluates the dashboard and the alerts, and Grafana's library knows all of it",
		files:   []string{"dashboards", "lab/dashboards/dashboards.go", "basinprom", "basinexport", "stats.go", "scripts/check-dashboard", "scripts/promql"},
		command: `scripts/check-dashboard`,
	},
	{
		name:     "benches",
		shows:    "all benchmarks run, those of the lab included",
		packages: []string{".", "./proof/stress", "./proof/model", "./proof/memory", "./proof/misuse", "./lab/..."},
		command: `go test -vet=off -run '^$' -bench . -benchtime 1x . $proofs
go run ./lab bench -rounds 1 -run 'getput*,mixed,handover,bursts,buffer-*,values,fixed,gateway,loop-*' -html /dev/null >/dev/null`,
	},
}

// otherGo returns a command that uses exactly the given version of Go, regardless of go.mod
// files. It runs the tests that the version can break. Modules that only call basin must
// compile.
func otherGo(version string) string {
	return `go=$(scripts/toolchain ` + version + `)
export PATH=$(dirname "$go"):$PATH GOTOOLCHAIN=local GOROOT=
go version
go build ` + strings.Join(slices.Concat(library, exporters), " ") + ` $basin/compat/...
go test -vet=off -short ` + strings.Join(versioned, " ")
}
