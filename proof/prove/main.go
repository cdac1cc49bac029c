//go:build go1.25

// Command prove runs the proofs of this repository that are due. A proof takes up to minutes, and
// not every change can break it. The table in proofs.go lists the proofs, with the packages and
// files that each depends on. Imports of the packages, their tests and testdata, all go.mod files
// and the scripts in forAll count, too. proof/stamps has, for each proof that has passed, a sum of
// the contents of all of these. A proof is due if the sum has changed.
//
// A stamp is somebody's word that a proof has passed. -random, which CI uses, tests such claims one
// by one. The sums do not include the version of Go: run all proofs with a new version.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const usage = `Usage:

	scripts/prove               run the proofs that are due, and stamp those that pass
	scripts/prove -list         list all proofs, and which are due: their files have changed since they passed
	scripts/prove race install  run these two, due or not
	scripts/prove -all          run all
	scripts/prove -random       run those that are due, and one more that is not

While it runs, change no file: a proof whose files have changed gets no stamp. Commit proof/stamps,
or CI runs these proofs again. If two branches have changed it, take either version; a wrong stamp
only makes a proof run again.
`

const stampFile = "proof/stamps"

func main() {
	list := flag.Bool("list", false, "list the proofs and whether they are due")
	all := flag.Bool("all", false, "run all proofs")
	random := flag.Bool("random", false, "run one more proof, picked at random from those not due")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	if n := flag.NArg(); n > 0 && flag.NFlag() > 0 || *list && (*all || *random) || *all && *random {
		fmt.Fprint(os.Stderr, "prove: give names of proofs or one flag\n\n", usage)
		os.Exit(2)
	}
	failed, err := prove(*list, *all, *random, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

func prove(list, all, random bool, names []string) (failed bool, err error) {
	t, err := readTree(".")
	if err != nil {
		return false, err
	}
	stamps, err := readStamps()
	if err != nil {
		return false, err
	}
	var run, rest []proof
	sums := make(map[string]string)
	for _, p := range proofs {
		if sums[p.name], err = t.sum(p); err != nil {
			return false, fmt.Errorf("%s: %w", p.name, err)
		}
		due := stamps[p.name] != sums[p.name]
		if list {
			fmt.Printf("%-13s %-4s %s\n", p.name, map[bool]string{true: "due"}[due], p.shows)
			continue
		}
		if all || slices.Contains(names, p.name) || due && len(names) == 0 {
			run = append(run, p)
		} else if !due {
			rest = append(rest, p)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(proofs, func(p proof) bool { return p.name == name }) {
			return false, fmt.Errorf("there is no proof %q; scripts/prove -list lists them. Flags come first", name)
		}
	}
	if list {
		return false, nil
	}
	claimed := ""
	if random && len(rest) > 0 {
		p := rest[rand.IntN(len(rest))]
		claimed = p.name
		run = slices.Insert(run, 0, p) // first, because it may mostly wait, as page does, while others run
	}
	if len(run) == 0 {
		fmt.Println("No proof is due.")
		return false, nil
	}
	fmt.Printf("%d of %d proofs to run\n", len(run), len(proofs))
	var bad []string
	slots := make(chan struct{}, atOnce)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, p := range run {
		need := 1
		if p.alone {
			need = atOnce
		}
		for range need {
			slots <- struct{}{}
		}
		fmt.Println("begins:", p.name)
		wg.Go(func() {
			began := time.Now()
			output, cpu, failure := t.run(p, sums[p.name], fresh(p.name == claimed || all || len(names) > 0))
			mu.Lock()
			defer mu.Unlock()
			for range need {
				<-slots
			}
			took := time.Since(began).Seconds()
			if failure == nil {
				fmt.Printf("passed %s in %.0f s, %.0f of a processor: %s\n", p.name, took, cpu.Seconds(), p.shows)
				if p.name == claimed {
					fmt.Println("It was not due, but picked at random.")
				}
				kept, e := stamp(p, sums[p.name], true)
				if err = errors.Join(err, e); !kept && e == nil {
					bad = append(bad, p.name)
					fmt.Printf("no stamp for %s: its files have changed while it ran\n", p.name)
				}
				return
			}
			bad = append(bad, p.name)
			if exit := (*exec.ExitError)(nil); errors.As(failure, &exit) && exit.ExitCode() == missing {
				fmt.Printf("\n%snot run: %s\n", output, p.name)
				return
			}
			_, e := stamp(p, sums[p.name], false)
			err = errors.Join(err, e)
			fmt.Printf("\n== %s\n%sFAILED %s after %.0f s: %v\n", p.name, output, p.name, took, failure)
			if p.name == claimed {
				fmt.Printf("It was not due: it has passed with these very files. Run scripts/prove %s again. If it passes now, find the test that fails now and then with scripts/hunt. If not, it depends on a file that its entry in proof/prove/proofs.go does not name, or was never run.\n", p.name)
			}
		})
	}
	wg.Wait()
	if len(bad) > 0 {
		slices.Sort(bad)
		names := strings.Join(bad, " ")
		fmt.Printf("\n%d passed, %d did not: %s\nTo run them again: scripts/prove %s\n", len(run)-len(bad), len(bad), names, names)
		return true, err
	}
	fmt.Printf("\nAll %d passed. Commit %s if it has changed.\n", len(run), stampFile)
	return false, err
}

// atOnce is the number of proofs that run at a time. While one sleeps, links or downloads, others
// keep the cores of a small machine busy.
const atOnce = 3

// missing is the exit status of scripts/need where it cannot install a program.
const missing = 3

// fresh tells run not to accept cached results of go test.
type fresh bool

// run runs the command of p, and returns its output and how long it kept processors busy.
func (t *tree) run(p proof, sum string, f fresh) (output []byte, cpu time.Duration, err error) {
	long, err := t.longTests(p)
	if err != nil {
		return nil, 0, err
	}
	script := "set -euo pipefail; . scripts/versions; packages='" + strings.Join(p.packages, " ") + "' long='" + long + "'\n" + p.command
	c := exec.Command("bash", "-c", script)
	c.Env = append(os.Environ(), "BASIN_TEST_TREE="+sum, "BASIN_TEST_API="+sum) // as in scripts/test; see package testenv
	if f {
		c.Env = append(c.Env, strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1"))
	}
	output, err = c.CombinedOutput()
	if c.ProcessState != nil {
		cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return output, cpu, err
}

// stamp records whether p has passed. kept is whether a pass counts: not if the files of p have
// another sum now than before it ran.
func stamp(p proof, before string, passed bool) (kept bool, err error) {
	now, err := readTree(".")
	if err != nil {
		return false, err
	}
	after, err := now.sum(p)
	if err != nil || passed && before != after {
		return false, err
	}
	stamps, err := readStamps() // another run may have changed the stamps
	if err != nil {
		return false, err
	}
	if passed {
		stamps[p.name] = after
	} else {
		delete(stamps, p.name)
	}
	f, err := os.CreateTemp(filepath.Dir(stampFile), "stamps.new.*")
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(stamps)) {
		if slices.ContainsFunc(proofs, func(p proof) bool { return p.name == name }) {
			fmt.Fprintf(f, "%s %s\n", name, stamps[name])
		}
	}
	err = errors.Join(f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), stampFile)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err == nil, err
}

// readStamps returns the sums of the proofs that have passed, by name. It ignores malformed
// lines, such as those of a merge conflict.
func readStamps() (map[string]string, error) {
	stamps := make(map[string]string)
	text, err := os.ReadFile(stampFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if name, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			stamps[name] = sum
		}
	}
	return stamps, nil
}
