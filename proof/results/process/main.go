//go:build go1.25

// Command process measures whole programs of docs/results.md under load: servers that use a module
// of others as its README says, before and after a change to basin.
//
//	go run ./proof/results/process [-mode steady|bursts|giants] [-live 64] [-rounds 6] [-keep DIR] [NAME ...]
//	go run ./proof/results/process -tuned [-live 64] [-rounds 6] [-keep DIR] [NAME ...]
//
// rows lists the programs, whose sources are in testdata. Each is built in modules of its own, and measured in
// variants, in turns: as it is; with a sync.Pool at the same lines, where testdata has one; and with basin. With
// -tuned, the rivals are the program with GOGC, and with GOMEMLIMIT alone, tuned until its peak of RSS is that of the
// variant with basin. The load comes from another process. In mode steady each round has new servers, which answer
// requests as fast as they can: in ten short turns, as the speed of a machine changes from second to second, or with
// -tuned, in one long turn. In mode giants, one in 250 requests is a large one. In mode bursts, the servers stay; each
// works for a second and a half while the others wait. Only Linux tells the RSS of a process in this way.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	clients = 8
	steps   = 7 // of a search: it ends within 5 % of GOGC
	idle    = 15 * time.Second
	burst   = 1500 * time.Millisecond
	giants  = 250 // requests for a giant
)

var (
	rounds = flag.Int("rounds", 6, "how often each variant is measured; 0 builds the programs, and runs them with checks only")
	mode   = flag.String("mode", "steady", "steady, bursts or giants")
	tuned  = flag.Bool("tuned", false, "compare with GOGC and GOMEMLIMIT instead of a sync.Pool")
	live   = flag.Int("live", 0, "MiB of live data that each server has besides its own")
	keep   = flag.String("keep", "", "a new directory for the programs, which stay there")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if !slices.Contains([]string{"steady", "bursts", "giants"}, *mode) || *tuned && *mode != "steady" {
		log.Fatal("-mode is steady, bursts or giants, and steady with -tuned")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// A row is a program and its change.
type row struct {
	name     string
	requests int
	change   string
	modules  []string // with their versions, the changed one first
}

func run(ctx context.Context, names []string) error {
	out, err := command(ctx, "", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/basin-go/basin")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(out)
	rows, err := readRows(filepath.Join(root, "proof/results/process/rows"))
	if err != nil {
		return err
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "process"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	failed := false
	for _, r := range rows {
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		if err := measure(ctx, root, filepath.Join(dir, r.name), r); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			log.Printf("%s: %v", r.name, err)
			failed = true
		}
	}
	if failed {
		return errors.New("some rows could not be measured")
	}
	return nil
}

func readRows(file string) (rows []row, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s: not four fields: %s", file, line)
		}
		requests, err := strconv.Atoi(strings.TrimSpace(fields[1]))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{strings.TrimSpace(fields[0]), requests, strings.TrimSpace(fields[2]), strings.Fields(fields[3])})
	}
	return rows, nil
}

// A variant is a program and its environment.
type variant struct {
	name, file string
	env        []string
}

// measure builds the programs of a row, measures their variants, and prints a row for each table.
func measure(ctx context.Context, root, dir string, r row) error {
	programs, err := build(ctx, root, dir, r)
	if err != nil {
		return err
	}
	with := variant{basin, programs[basin], nil}
	if _, err := once(ctx, variant{"checks", programs[basin], []string{"BASIN_CHECK=full"}}, programs[original], r.requests); err != nil {
		return fmt.Errorf("with BASIN_CHECK=full: %w", err)
	}
	if *rounds == 0 {
		return nil
	}
	variants := []variant{{original, programs[original], nil}}
	if *tuned {
		rivals, err := tune(ctx, programs, r)
		if err != nil {
			return err
		}
		variants = append(variants, rivals...)
	} else if file := programs[syncPool]; file != "" {
		variants = append(variants, variant{"sync.Pool", file, nil})
	}
	variants = append(variants, with)
	measured, err := inTurns(ctx, variants, programs[original], r)
	if err != nil {
		return err
	}
	if *tuned {
		reportTuned(r, variants, measured)
	} else {
		report(r, measured)
	}
	return nil
}

// tune returns the variants of the original that take no more memory than the one with basin.
func tune(ctx context.Context, programs map[string]string, r row) ([]variant, error) {
	var peaks []float64
	for range 3 {
		f, err := once(ctx, variant{basin, programs[basin], nil}, programs[original], r.requests)
		if err != nil {
			return nil, err
		}
		peaks = append(peaks, f.Peak)
	}
	target := median(peaks)
	// search returns the largest value with which the original has no more RSS than basin, give or take 5 %. If there is
	// none, it returns the smallest.
	search := func(low, high float64, v func(x float64) variant) (variant, error) {
		for range steps {
			x := math.Sqrt(low * high)
			f, err := once(ctx, v(x), programs[original], r.requests)
			if err != nil {
				return variant{}, err
			}
			if f.Peak <= target*1.05 {
				low = x
			} else {
				high = x
			}
		}
		return v(low), nil
	}
	percent, err := search(5, 1600, func(x float64) variant {
		setting := fmt.Sprintf("GOGC=%.0f", x)
		return variant{setting, programs[original], []string{setting}}
	})
	if err != nil {
		return nil, err
	}
	limit, err := search(4<<10, max(target*1024, 8<<10), func(x float64) variant {
		return variant{fmt.Sprintf("GOMEMLIMIT=%.1fMiB", x/1024), programs[original], []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%.0fKiB", x)}}
	})
	return []variant{percent, limit}, err
}

// once measures a server of its own, which ends.
func once(ctx context.Context, v variant, client string, requests int) (*figures, error) {
	s, err := warm(ctx, v, client, requests)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	return s.measure(ctx, client, load{requests: requests})
}

// inTurns measures variants round by round, and returns the figures of all turns of each. The first variant has one turn
// in a round where others have more.
func inTurns(ctx context.Context, variants []variant, client string, r row) ([][]*figures, error) {
	each, stay, turns := load{requests: r.requests}, false, 1
	switch {
	case *mode == "bursts":
		each, stay = load{time: burst}, true
	case !*tuned:
		each.requests, turns = r.requests/4, 10 // short, as the speed of a machine changes from second to second
		if *mode == "giants" {
			each.giants = giants
		}
	}
	measured := make([][]*figures, len(variants))
	servers := make([]*server, len(variants))
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for round := range *rounds {
		for i, v := range variants {
			if servers[i] != nil && stay {
				continue
			}
			servers[i].stop()
			var err error
			if servers[i], err = warm(ctx, v, client, r.requests); err != nil {
				return nil, err
			}
		}
		for turn := range turns {
			for i := range variants {
				if i = (i + round + turn) % len(variants); i == 0 && turn > 0 {
					continue
				}
				f, err := servers[i].measure(ctx, client, each)
				if err != nil {
					return nil, err
				}
				measured[i] = append(measured[i], f)
			}
		}
	}
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for i, s := range servers {
		var err error
		last := measured[i][len(measured[i])-1]
		if last.After, err = s.memory("VmRSS"); err != nil {
			return nil, err
		}
		for _, f := range measured[i] {
			if f.Sum != measured[0][0].Sum && !stay { // bursts have other requests in each round
				return nil, fmt.Errorf("%s gives other answers than %s", variants[i].name, variants[0].name)
			}
		}
	}
	return measured, nil
}

// figures are those of one run. Times are of the server's processor, and P99 is of the answers.
type figures struct {
	PerSecond, CPU, Allocated, Collections, Peak, After, P99 float64

	Sum float64 // a sum of all answers
}

func of(fs []*figures, field func(*figures) float64) (values []float64) {
	for _, f := range fs {
		values = append(values, field(f))
	}
	return values
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// cell prints the means or medians of all variants.
func cell(measured [][]*figures, middle func([]float64) float64, format string, field func(*figures) float64) string {
	var texts []string
	for _, fs := range measured {
		texts = append(texts, fmt.Sprintf(format, middle(of(fs, field))))
	}
	return strings.Join(texts, ", ")
}

func perSecond(f *figures) float64   { return f.PerSecond }
func cpu(f *figures) float64         { return f.CPU * 1e6 }
func allocated(f *figures) float64   { return f.Allocated / 1024 }
func collections(f *figures) float64 { return f.Collections * 1000 }
func peak(f *figures) float64        { return f.Peak }
func p99(f *figures) float64         { return f.P99 * 1e3 }

// afterwards prints the RSS of all variants after a time without requests.
func afterwards(measured [][]*figures) string {
	var texts []string
	for _, fs := range measured {
		texts = append(texts, fmt.Sprintf("%.0f", fs[len(fs)-1].After))
	}
	return strings.Join(texts, ", ")
}

// report prints a row of the table beside sync.Pool: each cell has the variants.
func report(r row, measured [][]*figures) {
	beside := "none"
	if len(measured) == 3 {
		with, without := slices.Collect(slices.Chunk(measured[2], len(measured[2]) / *rounds)), slices.Collect(slices.Chunk(measured[1], len(measured[1]) / *rounds))
		var ratios []float64
		for i := range with { // of sums, because a turn without a collection says little
			ratios = append(ratios, mean(of(with[i], cpu))/mean(of(without[i], cpu)))
		}
		beside = fmt.Sprintf("%.3f (%.3f to %.3f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	fmt.Printf("| %s | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", r.name, *mode, *live, cell(measured, mean, "%.0f", cpu), beside,
		cell(measured, mean, "%.1f", allocated), cell(measured, mean, "%.1f", collections), cell(measured, median, "%.1f", p99), cell(measured, median, "%.0f", peak), afterwards(measured))
}

// reportTuned prints a row of both tables beside rivals of the same memory: each cell has the four variants.
func reportTuned(r row, variants []variant, measured [][]*figures) {
	fmt.Printf("| %s | %s, %s | %s | %s | %s | %s |\n", r.name, variants[1].name, strings.TrimPrefix(variants[2].name, "GOMEMLIMIT="),
		cell(measured, median, "%.0f", perSecond), gain(measured, perSecond), cell(measured, median, "%.0f", cpu), gain(measured, func(f *figures) float64 { return 1 / f.CPU }))
	fmt.Printf("| %s | %s | %s | %s | %s |\n", r.name, cell(measured, median, "%.1f", allocated), cell(measured, median, "%.1f", collections), cell(measured, median, "%.0f", peak), afterwards(measured))
}

// gain is how much more basin has than the better of the two rivals of the same RSS, with the interval of the rounds.
// With 95 % confidence, and more, the median is between the extremes of six.
func gain(measured [][]*figures, field func(*figures) float64) string {
	least := []float64{math.Inf(1)}
	for _, rival := range measured[1:3] {
		var ratios []float64
		for i, f := range measured[3] {
			ratios = append(ratios, 100*(field(f)/field(rival[i])-1))
		}
		if median(ratios) < median(least) {
			least = ratios
		}
	}
	low, high := slices.Min(least), slices.Max(least)
	if low <= 0 && high >= 0 {
		return fmt.Sprintf("level (%+.0f to %+.0f %%)", low, high)
	}
	return fmt.Sprintf("%+.0f %% (%+.0f to %+.0f)", median(least), low, high)
}

// A server is a process of a variant.
type server struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Reader
	errors  bytes.Buffer
	addr    string
}

func start(ctx context.Context, v variant) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, v.file, "serve")}
	s.cmd.Env = append(append(os.Environ(), fmt.Sprintf("LIVE=%d", *live)), v.env...)
	s.cmd.Stderr = &s.errors
	var err error
	if s.orders, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.answers = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if s.addr, err = s.answers.ReadString('\n'); err != nil {
		s.stop()
		return nil, fmt.Errorf("the server does not start: %s", &s.errors)
	}
	s.addr = strings.TrimSpace(s.addr)
	return s, nil
}

// warm starts a server, which then answers a tenth of the requests of a round.
func warm(ctx context.Context, v variant, client string, requests int) (*server, error) {
	s, err := start(ctx, v)
	if err != nil {
		return nil, err
	}
	if _, err := s.load(ctx, client, load{requests: requests/10 + 1}); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop ends the server, and may be called again. s may be nil.
func (s *server) stop() {
	if s != nil {
		s.orders.Close()
		s.cmd.Wait()
	}
}

// order has the server do something, and returns its figures.
func (s *server) order(what string) (f struct{ Bytes, Collections, CPU float64 }, err error) {
	if _, err := fmt.Fprintln(s.orders, what); err != nil {
		return f, err
	}
	line, err := s.answers.ReadBytes('\n')
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(line, &f)
}

// A load is a number of requests, or a time for as many as there is time for, one in giants of which is large.
type load struct {
	requests int
	time     time.Duration
	giants   int
}

// load sends requests from a process of another program.
func (s *server) load(ctx context.Context, program string, l load) (f struct{ Requests, Seconds, Bytes, Sum, P99 float64 }, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	// One thread leaves the server most of two cores.
	out, err := command(ctx, "", []string{"GOMAXPROCS=1"}, program, "load", s.addr, strconv.Itoa(clients), strconv.Itoa(l.requests),
		strconv.FormatInt(l.time.Milliseconds(), 10), strconv.Itoa(l.giants))
	if err != nil {
		return f, fmt.Errorf("%w\n%s", err, &s.errors)
	}
	return f, json.Unmarshal([]byte(out), &f)
}

func (s *server) measure(ctx context.Context, client string, l load) (*figures, error) {
	before, err := s.order("figures")
	if err != nil {
		return nil, err
	}
	sent, err := s.load(ctx, client, l)
	if err != nil {
		return nil, err
	}
	after, err := s.order("figures")
	if err != nil {
		return nil, err
	}
	peak, err := s.memory("VmHWM")
	if err != nil {
		return nil, err
	}
	if s.errors.Len() > 0 {
		return nil, fmt.Errorf("the server complains: %.2000s", &s.errors)
	}
	n := sent.Requests
	return &figures{
		PerSecond: n / sent.Seconds, CPU: (after.CPU - before.CPU) / n, Allocated: (after.Bytes - before.Bytes) / n,
		Collections: (after.Collections - before.Collections) / n, Peak: peak, P99: sent.P99, Sum: sent.Sum,
	}, nil
}

// memory returns the MiB of a line in the server's status.
func (s *server) memory(name string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), "\n"+name+":")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); !ok || err != nil {
		return 0, fmt.Errorf("no %s in the status of a process", name)
	}
	return kib / 1024, nil
}

// command runs a command, and returns its output.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &errors)
	}
	return string(out), nil
}
