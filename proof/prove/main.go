// Command prove runs the proofs of this repository that are due: what takes long, and depends
// on few files. The table in proofs.go names them, each with the packages and files that it
// depends on. proof/stamps has a sum of their contents for each proof that has passed; a proof
// is due if its sum is another.
//
//	scripts/prove               run what is due, and stamp what passes
//	scripts/prove -list         what there is, and whether it is due
//	scripts/prove race install  run these two
//	scripts/prove -all          run all
//	scripts/prove -random       run what is due, and one more that is not
//
// A stamp is a claim that somebody else has run a proof. -random, which CI uses, tests the
// claims one by one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const stampFile = "proof/stamps"

func main() {
	list := flag.Bool("list", false, "list the proofs and whether they are due")
	all := flag.Bool("all", false, "run all proofs")
	random := flag.Bool("random", false, "run one more proof, picked at random from those not due")
	flag.Parse()
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
			fmt.Printf("%-12s %-4s %s\n", p.name, map[bool]string{true: "due"}[due], p.shows)
			continue
		}
		if all || slices.Contains(names, p.name) || due && len(names) == 0 {
			run = append(run, p)
		} else {
			rest = append(rest, p)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(proofs, func(p proof) bool { return p.name == name }) {
			return false, fmt.Errorf("there is no proof %q; -list lists them", name)
		}
	}
	if list {
		return false, nil
	}
	claimed := ""
	if random && len(rest) > 0 {
		p := rest[rand.IntN(len(rest))]
		claimed = p.name
		run = append(run, p)
	}
	fmt.Printf("%d of %d proofs to run\n", len(run), len(proofs))
	passed := 0
	for _, p := range run {
		began := time.Now()
		why := ""
		if p.name == claimed {
			why = " (not due: picked at random)"
		}
		fmt.Printf("\n== %s: %s%s\n", p.name, p.shows, why)
		if err := p.run(); err != nil {
			failed = true
			fmt.Printf("FAILED %s after %.0f s: %v\n", p.name, time.Since(began).Seconds(), err)
			if p.name == claimed {
				fmt.Println("Its stamp says that it has passed with these very files. It fails now and then, or depends on a file that its entry in proof/prove/proofs.go does not name, or was never run.")
			}
			continue
		}
		passed++
		fmt.Printf("passed %s in %.0f s\n", p.name, time.Since(began).Seconds())
		if err := stamp(p, sums[p.name]); err != nil {
			return true, err
		}
	}
	fmt.Printf("\n%d passed, %d failed\n", passed, len(run)-passed)
	return failed, nil
}

// run runs the command of p.
func (p proof) run() error {
	script := "set -euo pipefail; . scripts/versions; packages='" + strings.Join(p.packages, " ") + "'\n" + p.command
	c := exec.Command("bash", "-c", script)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// stamp notes that p has passed, unless files that it depends on have changed since their sum
// was before.
func stamp(p proof, before string) error {
	now, err := readTree(".")
	if err != nil {
		return err
	}
	after, err := now.sum(p)
	if err != nil {
		return err
	}
	if before != after {
		fmt.Printf("no stamp for %s: its files have changed meanwhile\n", p.name)
		return nil
	}
	stamps, err := readStamps() // another run may have stamped
	if err != nil {
		return err
	}
	stamps[p.name] = after
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(stamps)) {
		if slices.ContainsFunc(proofs, func(p proof) bool { return p.name == name }) {
			fmt.Fprintf(&b, "%s %s\n", name, stamps[name])
		}
	}
	temporary := stampFile + ".new"
	if err := os.WriteFile(temporary, []byte(b.String()), 0o666); err != nil {
		return err
	}
	return os.Rename(temporary, stampFile)
}

// readStamps returns the sums of the proofs that have passed, by name. A line that is no
// stamp, as a merge may leave, stamps nothing.
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
