//go:build go1.25

// Command process measures whole programs of docs/results.md under load: servers that use a module
// of others as its README says, before and after a change to basin.
//
//	go run ./proof/results/process [-live 64] [-rounds 6] [-keep DIR] [NAME ...]
//
// rows lists the programs, whose sources are in testdata. Each is built twice in a module of its own,
// and measured in four variants, in turns: as it is; with GOGC, and with GOMEMLIMIT alone, tuned
// until its peak of RSS is that of the variant with basin; and with basin. The load comes from another
// process. Only Linux tells the RSS of a process in this way.
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
)

var (
	rounds = flag.Int("rounds", 6, "how often each variant is measured; 0 builds the programs, and runs them with checks only")
	live   = flag.Int("live", 0, "MiB of live data that each server has besides its own")
	keep   = flag.String("keep", "", "a new directory for the programs, which stay there")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
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

// measure builds the two programs of a row, finds the settings of the rivals, and measures.
func measure(ctx context.Context, root, dir string, r row) error {
	original, changed, err := build(ctx, root, dir, r)
	if err != nil {
		return err
	}
	once := func(v variant) (*figures, error) {
		s, err := start(ctx, v)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		return s.measure(ctx, original, r.requests)
	}
	with := variant{"basin", changed, nil}
	if _, err := once(variant{"checks", changed, []string{"BASIN_CHECK=full"}}); err != nil {
		return fmt.Errorf("with BASIN_CHECK=full: %w", err)
	}
	if *rounds == 0 {
		return nil
	}
	var peaks []float64
	for range 3 {
		f, err := once(with)
		if err != nil {
			return err
		}
		peaks = append(peaks, f.Peak)
	}
	target := median(peaks)
	// tune returns the largest value with which the original has no more RSS than basin, give or take 5 %. If there is
	// none, it returns the smallest.
	tune := func(low, high float64, v func(x float64) variant) (variant, error) {
		for range steps {
			x := math.Sqrt(low * high)
			f, err := once(v(x))
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
	percent, err := tune(5, 1600, func(x float64) variant {
		setting := fmt.Sprintf("GOGC=%.0f", x)
		return variant{setting, original, []string{setting}}
	})
	if err != nil {
		return err
	}
	limit, err := tune(4<<10, max(target*1024, 8<<10), func(x float64) variant {
		return variant{fmt.Sprintf("GOMEMLIMIT=%.1fMiB", x/1024), original, []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%.0fKiB", x)}}
	})
	if err != nil {
		return err
	}
	variants := []variant{{"original", original, nil}, percent, limit, with}
	measured := make([][]*figures, len(variants))
	for round := range *rounds {
		var servers []*server
		for i := range variants {
			i = (i + round) % len(variants)
			s, err := start(ctx, variants[i])
			if err != nil {
				return err
			}
			defer s.stop()
			f, err := s.measure(ctx, original, r.requests)
			if err != nil {
				return err
			}
			measured[i] = append(measured[i], f)
			if servers = append(servers, s); round < *rounds-1 {
				s.stop()
			}
		}
		if round < *rounds-1 {
			continue
		}
		select {
		case <-time.After(idle):
		case <-ctx.Done():
			return ctx.Err()
		}
		for i, s := range servers {
			if measured[(i+round)%len(variants)][round].After, err = s.memory("VmRSS"); err != nil {
				return err
			}
		}
	}
	if before, after := measured[0][0].Answer, measured[3][0].Answer; math.Abs(before-after) > before/100 {
		return fmt.Errorf("an answer has %.0f bytes with basin, and %.0f without", after, before)
	}
	report(r, variants, measured)
	return nil
}

// figures are those of one run. Times are of the server's processor.
type figures struct {
	PerSecond, CPU, Allocated, Collections, Peak, After, Answer float64
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

// report prints a row of both tables: each cell has the four variants.
func report(r row, variants []variant, measured [][]*figures) {
	cell := func(format string, field func(*figures) float64) string {
		var texts []string
		for i := range variants {
			texts = append(texts, fmt.Sprintf(format, median(of(measured[i], field))))
		}
		return strings.Join(texts, ", ")
	}
	perSecond := func(f *figures) float64 { return f.PerSecond }
	cpu := func(f *figures) float64 { return 1 / f.CPU }
	fmt.Printf("| %s | %s, %s | %s | %s | %s | %s |\n", r.name, variants[1].name, strings.TrimPrefix(variants[2].name, "GOMEMLIMIT="),
		cell("%.0f", perSecond), gain(measured, perSecond), cell("%.0f", func(f *figures) float64 { return f.CPU * 1e6 }), gain(measured, cpu))
	after := make([]string, len(variants))
	for i := range variants {
		after[i] = fmt.Sprintf("%.0f", measured[i][*rounds-1].After)
	}
	fmt.Printf("| %s | %s | %s | %s | %s |\n", r.name, cell("%.1f", func(f *figures) float64 { return f.Allocated / 1024 }),
		cell("%.1f", func(f *figures) float64 { return f.Collections * 1000 }), cell("%.0f", func(f *figures) float64 { return f.Peak }), strings.Join(after, ", "))
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

// stop ends the server, and may be called again.
func (s *server) stop() {
	s.orders.Close()
	s.cmd.Wait()
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

// load sends requests from a process of another program.
func (s *server) load(ctx context.Context, program string, requests int) (f struct{ Seconds, Bytes float64 }, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// One thread leaves the server most of two cores.
	out, err := command(ctx, "", []string{"GOMAXPROCS=1"}, program, "load", s.addr, strconv.Itoa(clients), strconv.Itoa(requests))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal([]byte(out), &f)
}

func (s *server) measure(ctx context.Context, client string, requests int) (*figures, error) {
	if _, err := s.load(ctx, client, requests/10+1); err != nil {
		return nil, err
	}
	before, err := s.order("figures")
	if err != nil {
		return nil, err
	}
	load, err := s.load(ctx, client, requests)
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
	n := float64(requests)
	return &figures{
		PerSecond: n / load.Seconds, CPU: (after.CPU - before.CPU) / n, Allocated: (after.Bytes - before.Bytes) / n,
		Collections: (after.Collections - before.Collections) / n, Peak: peak, Answer: load.Bytes / n,
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
