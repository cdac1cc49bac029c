//go:build go1.25

// Command process measures whole programs of docs/results.md under load: servers that use a module
// of others as its README says, before and after a change to basin.
//
//	go run ./proof/results/process [-rounds 6] [-keep DIR] [NAME ...]
//
// rows lists the programs, whose sources are in testdata. Each is built twice in a module of its own,
// and measured in four variants, in turns: as it is; with GOGC, and with GOMEMLIMIT alone, at the
// largest value whose peak of RSS is at most that of the variant with basin; and with basin. The load
// comes from another process. All variants must send the same bytes. That is done twice: with no other
// live data in the server, and with 64 MiB. Only Linux tells the RSS of a process in this way.
package main

import (
	"bufio"
	"bytes"
	"cmp"
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
	idle    = 15 * time.Second
)

var (
	rounds = flag.Int("rounds", 9, "how often each variant is measured; 0 builds the programs, and runs them with checks only")
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

// A variant is a program and its environment. The zero value stands for a rival that no setting makes small enough.
type variant struct {
	name, file string
	env        []string
}

// measure builds the two programs of a row, and measures them with little and with much live data.
func measure(ctx context.Context, root, dir string, r row) error {
	original, changed, err := build(ctx, root, dir, r)
	if err != nil {
		return err
	}
	for _, live := range []string{"0", "64"} {
		m := &measurement{ctx: ctx, row: r, live: live, client: original}
		if err := m.measure(original, changed); err != nil {
			return fmt.Errorf("with %s MiB of live data: %w", live, err)
		}
	}
	return nil
}

type measurement struct {
	ctx          context.Context
	row          row
	live, client string
	sum          *int64 // of the answers of the first run
}

func (m *measurement) start(v variant) (*server, error) {
	v.env = append([]string{"LIVE=" + m.live}, v.env...)
	return start(m.ctx, v)
}

// run measures a server, whose answers must be those of all others.
func (m *measurement) run(s *server) (*figures, error) {
	f, err := s.measure(m.ctx, m.client, m.row.requests)
	if err != nil {
		return nil, err
	}
	if m.sum == nil {
		m.sum = &f.Sum
	}
	if f.Sum != *m.sum {
		return nil, errors.New("a variant has other answers")
	}
	return f, nil
}

func (m *measurement) once(v variant) (*figures, error) {
	s, err := m.start(v)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	return m.run(s)
}

// measure finds the settings of the rivals, and measures.
func (m *measurement) measure(original, changed string) error {
	with := variant{"basin", changed, nil}
	if _, err := m.once(variant{"original", original, nil}); err != nil {
		return err
	}
	if _, err := m.once(variant{"checks", changed, []string{"BASIN_CHECK=full"}}); err != nil {
		return fmt.Errorf("with BASIN_CHECK=full: %w", err)
	}
	if *rounds == 0 {
		return nil
	}
	var peaks []float64
	for range 3 {
		f, err := m.once(with)
		if err != nil {
			return err
		}
		peaks = append(peaks, f.Peak)
	}
	target := median(peaks)
	percent, err := m.tune(target, 6, 10, 1000, func(x float64) variant {
		return variant{fmt.Sprintf("%.0f", x), original, []string{fmt.Sprintf("GOGC=%.0f", x)}}
	})
	if err != nil {
		return err
	}
	limit, err := m.tune(target, 5, target/4, target, func(x float64) variant {
		return variant{fmt.Sprintf("%.1f MiB", x), original, []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%.0fKiB", x*1024)}}
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
			if variants[i].file == "" {
				servers = append(servers, nil)
				continue
			}
			s, err := m.start(variants[i])
			if err != nil {
				return err
			}
			defer s.stop()
			f, err := m.run(s)
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
		case <-m.ctx.Done():
			return m.ctx.Err()
		}
		for i, s := range servers {
			if s == nil {
				continue
			}
			if measured[(i+round)%len(variants)][round].After, err = s.memory("VmRSS"); err != nil {
				return err
			}
		}
	}
	report(m.row.name, m.live, variants, measured)
	return nil
}

// tune returns a variant with the largest value that takes no more RSS than basin, with 2 % for chance, or an empty one
// if even the least takes more.
func (m *measurement) tune(target float64, steps int, low, high float64, v func(x float64) variant) (variant, error) {
	fits := func(x float64) (bool, error) {
		f, err := m.once(v(x))
		return err == nil && f.Peak <= target*1.02, err
	}
	if ok, err := fits(low); !ok {
		return variant{}, err
	}
	for range steps {
		x := math.Sqrt(low * high)
		ok, err := fits(x)
		if err != nil {
			return variant{}, err
		}
		if ok {
			low = x
		} else {
			high = x
		}
	}
	return v(low), nil
}

// figures are those of one run. Times are of the server's processor.
type figures struct {
	PerSecond, CPU, Allocated, Collections, Peak, After float64
	Sum                                                 int64
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

// report prints the line of a row in a table.
func report(name, live string, variants []variant, measured [][]*figures) {
	cell := func(format string, figure func([]*figures) float64) string {
		var texts []string
		for _, fs := range measured {
			text := "-"
			if len(fs) > 0 {
				text = fmt.Sprintf(format, figure(fs))
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, ", ")
	}
	middle := func(field func(*figures) float64) func([]*figures) float64 {
		return func(fs []*figures) float64 { return median(of(fs, field)) }
	}
	perSecond := func(f *figures) float64 { return f.PerSecond }
	perCPU := func(f *figures) float64 { return 1 / f.CPU }
	fmt.Println("|", strings.Join([]string{
		name, live, cmp.Or(variants[1].name, "-") + ", " + cmp.Or(variants[2].name, "-"), cell("%.0f", middle(perSecond)),
		gain(measured[3], measured[:1], perSecond), gain(measured[3], measured[1:3], perSecond), gain(measured[3], measured[1:3], perCPU),
		cell("%.1f", middle(func(f *figures) float64 { return f.Allocated / 1024 })),
		cell("%.1f", middle(func(f *figures) float64 { return f.Collections * 1000 })),
		cell("%.0f", middle(func(f *figures) float64 { return f.Peak })),
		cell("%.0f", func(fs []*figures) float64 { return fs[len(fs)-1].After }),
	}, " | "), "|")
}

// gain is how much more basin has than the best of the rivals, with the interval of the rounds. It leaves out the least
// and the largest of eight or more: with nine, the median is between the others with 96 % confidence, and with five or
// six between all of them with 94 and 97 %.
func gain(basin []*figures, rivals [][]*figures, field func(*figures) float64) string {
	var least []float64
	for _, rival := range rivals {
		var ratios []float64
		for i, f := range rival {
			ratios = append(ratios, 100*(field(basin[i])/field(f)-1))
		}
		if slices.Sort(ratios); least == nil || len(ratios) > 0 && median(ratios) < median(least) {
			least = ratios
		}
	}
	if len(least) == 0 {
		return "-"
	}
	if len(least) >= 8 {
		least = least[1 : len(least)-1]
	}
	low, high := least[0], least[len(least)-1]
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
	s.cmd.Env = append(os.Environ(), v.env...)
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
func (s *server) load(ctx context.Context, program string, requests int) (f struct {
	Seconds float64
	Sum     int64
}, err error) {
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
		Collections: (after.Collections - before.Collections) / n, Peak: peak, Sum: load.Sum,
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
