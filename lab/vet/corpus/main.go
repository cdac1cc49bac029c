// Command corpus runs basin-vet on real modules of the Go module proxy and compares its
// reports with those that were judged before.
//
//	go run ./lab/vet/corpus -tool $(which basin-vet)            # the modules of modules.txt
//	go run ./lab/vet/corpus -tool $(which basin-vet) -historic  # the versions of historic.tsv
//
// Each module is fetched into the module cache, copied into a temporary folder,
// analyzed there and the copy deleted. For each it prints the lines analyzed,
// time and largest memory of basin-vet and of go vet, and the reports. A report
// that judged.tsv does not have is printed with the source around it.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed modules.txt
var modulesText string

//go:embed historic.tsv
var historicText string

//go:embed judged.tsv
var judgedText string

var (
	tool     = flag.String("tool", "basin-vet", "the basin-vet to run")
	toolArgs = flag.String("args", "", "further arguments for it, separated by spaces")
	only     = flag.String("only", "", "modules whose path matches this expression")
	list     = flag.String("modules", "", "file with another list of modules and versions")
	historic = flag.Bool("historic", false, "run the versions before and after a fix")
	quickly  = flag.Bool("quick", false, "analyze in this process, without compiling anything")
	shallow  = flag.Bool("shallow", false, "with -quick, leave out the effects of other modules' functions")
	tests    = flag.Bool("tests", true, "with -quick, read test files, too")
	beside   = flag.Bool("vet", true, "run go vet as well, for its time and memory")
	out      = flag.String("out", "", "folder for the reports as JSON, one file for each module")
	niceness = flag.Int("nice", 10, "how nice the commands are to others, if the system has nice")
	context  = flag.Int("context", 12, "lines of source around a report that is not judged")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	expr := regexp.MustCompile(*only)
	if *historic {
		runHistoric(expr)
		return
	}
	var sum measured
	verdicts := map[string]int{}
	judged := judgements()
	if *list != "" {
		data, err := os.ReadFile(*list)
		if err != nil {
			log.Fatal(err)
		}
		modulesText = string(data)
	}
	for _, fields := range rows(modulesText, 2) {
		module, version := fields[0], fields[1]
		if !expr.MatchString(module) {
			continue
		}
		m, err := analyze(module, version, version, "./...", *beside)
		if err != nil {
			log.Printf("%s@%s: %v", module, version, err)
			continue
		}
		fmt.Printf("%s@%s: %d lines, basin-vet %.1fs %d MiB, go vet %.1fs %d MiB, %d reports, exit code %d\n",
			module, version, m.lines, m.own.seconds, m.own.mib, m.vet.seconds, m.vet.mib, len(m.reports), m.own.code)
		sum.lines += m.lines
		sum.own.seconds += m.own.seconds
		sum.vet.seconds += m.vet.seconds
		sum.own.mib = max(sum.own.mib, m.own.mib)
		sum.vet.mib = max(sum.vet.mib, m.vet.mib)
		if m.vet.code != 0 {
			fmt.Println("  go vet could not load all of it")
		}
		for _, r := range m.reports {
			j, ok := judged[r.key(module, version)]
			if !ok {
				j.verdict = "not judged"
				fmt.Printf("\n  %s\n%s\n", r, r.source)
			}
			verdicts[j.verdict]++
		}
	}
	fmt.Printf("\ntogether: %d lines, basin-vet %.0fs, largest %d MiB, go vet %.0fs, largest %d MiB\n",
		sum.lines, sum.own.seconds, sum.own.mib, sum.vet.seconds, sum.vet.mib)
	total := 0
	for _, n := range verdicts {
		total += n
	}
	for _, v := range slices.Sorted(keys(verdicts)) {
		fmt.Printf("%4d %s (%.0f %%, %.2f in 100,000 lines)\n", verdicts[v], v,
			100*float64(verdicts[v])/float64(total), 1e5*float64(verdicts[v])/float64(sum.lines))
	}
}

// runHistoric analyzes the version before and the one after each fix, and
// prints the reports in the files that the fix changed.
func runHistoric(expr *regexp.Regexp) {
	met, all := 0, 0
	for _, f := range rows(historicText, 6) {
		module, before, after, pattern, file, bug := f[0], f[1], f[2], f[3], f[4], f[5]
		if !expr.MatchString(module) {
			continue
		}
		all++
		seen := [2]bool{}
		fmt.Printf("\n%s: %s (%s)\n", module, bug, file)
		inFile := regexp.MustCompile("^(?:" + file + ")$")
		for i, version := range []string{before, after} {
			m, err := analyze(module, version, after, pattern, false)
			if err != nil {
				fmt.Printf("  %s: %v\n", version, err)
				continue
			}
			fmt.Printf("  %s: %d lines, %d reports\n", version, m.lines, len(m.reports))
			for _, r := range m.reports {
				mark := " "
				if inFile.MatchString(r.file + ":" + r.function) {
					mark, seen[i] = "*", true
				}
				fmt.Printf("  %s %s\n", mark, r)
			}
		}
		if seen[0] && !seen[1] {
			met++
			fmt.Println("  reported before and not after")
		}
	}
	fmt.Printf("\n%d of %d reported before the fix and not after\n", met, all)
}

type judgement struct{ verdict, reason string }

func judgements() map[string]judgement {
	all := map[string]judgement{}
	for _, f := range rows(judgedText, 5) {
		all[f[0]+" "+f[1]+" "+f[2]] = judgement{f[3], f[4]}
	}
	return all
}

// rows splits a table into lines of n fields; empty lines and comments are
// left out.
func rows(text string, n int) (all [][]string) {
	s := bufio.NewScanner(strings.NewReader(text))
	for s.Scan() {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		split := strings.Split(line, "\t")
		if n == 2 {
			split = strings.Fields(line)
		}
		if len(split) != n {
			log.Fatalf("%q has %d fields, not %d", line, len(split), n)
		}
		all = append(all, split)
	}
	return all
}

func keys[K cmp.Ordered, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// save writes the output of basin-vet, if a folder was named.
func save(module, version string, stdout []byte) error {
	if *out == "" {
		return nil
	}
	name := strings.ReplaceAll(module, "/", "_") + "@" + version + ".json"
	return os.WriteFile(filepath.Join(*out, name), stdout, 0o644)
}

// decode calls f with each value of a stream of JSON.
func decode[T any](r io.Reader, f func(T)) error {
	d := json.NewDecoder(r)
	for {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		f(v)
	}
}
