package advise

import "time"

type options struct {
	asJSON, diff, write, force, verify bool
	source, cpu, bench, tags           string
	profiled                           benched // the package of bench
	html, pools                        string
	wait                               time.Duration
	top                                int
}

const adviseUsage = `NAME:
   basin advise - where a program should pool memory, and where not

USAGE:
   basin advise [options] PROFILE [LATER-PROFILE]
   basin advise [options] http://HOST/debug/pprof/
   basin advise [options] -bench REGEXP [PACKAGE]

DESCRIPTION:
   It reads a heap profile, better two with some time between them, or takes them from a
   running program or a benchmark. For each line that allocates it says how much memory that
   is, of which sizes, how long it lives, and whether to pool it. The reasons come from the
   source of the module in the working directory, and of modules that it requires.

   It judges the pools that are there already too: those of basin by their figures, which a
   running program serves at /debug/basin/, and each sync.Pool by its source.

   -diff prints a patch for the lines whose memory provably does not leave the function, and the
   report on standard error. -write applies the patch. -verify tries it without applying it: it
   builds the module, vets the changed packages, tests them with all of basin's checks, runs their
   benchmarks before and after, and prints a text for a pull request. The exit status is 0, or 2 after an error.

OPTIONS:
`
