//go:build go1.25

// Command waiting measures servers of others whose connections wait, as they are and with package
// basinio: the memory of a connection that waits, and the requests that a second of processor time
// answers. The changes are scripts of a few lines, beside the servers in testdata. The tests of the
// changed modules run first.
//
//	go run ./proof/results/waiting [names of rows]
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	library = "github.com/basin-go/basin"
	rounds  = 7
)

// A row is a module and its measurement.
type row struct {
	name           string
	idle, requests int
	tests          []string
	module         string
}

func main() {
	log.SetFlags(0)
	root, err := output(".", "go", "list", "-m", "-f", "{{.Dir}}", library)
	if err != nil {
		log.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(root, "proof/results/waiting/rows"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| row | module | bytes of a waiting connection | with basinio | requests per CPU second | with basinio |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: |")
	for line := range strings.Lines(string(list)) {
		f := strings.Split(line, "|")
		if len(f) != 5 {
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		r := row{name: f[0], tests: strings.Fields(f[3]), module: f[4]}
		r.idle, _ = strconv.Atoi(f[1])
		r.requests, _ = strconv.Atoi(f[2])
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], r.name) {
			continue
		}
		if err := measure(root, r); err != nil {
			log.Fatalf("%s: %v", r.name, err)
		}
	}
}

// output returns the output of a command that runs in dir.
func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	if dir != "." {
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	}
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// measure builds the two programs of a row, runs the tests, and prints the figures.
func measure(root string, r row) error {
	dir, err := os.MkdirTemp("", "waiting")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var programs [2]string
	for i, name := range []string{"original", "basinio"} {
		if programs[i], err = build(root, filepath.Join(dir, name), r, i == 1); err != nil {
			return err
		}
	}
	var memory [2][]int64
	var rates [2][]float64
	for range rounds {
		for i, p := range programs {
			m, rate, err := run(p, r)
			if err != nil {
				return err
			}
			memory[i] = append(memory[i], m)
			rates[i] = append(rates[i], rate)
		}
	}
	fmt.Printf("| %s | %s |", r.name, strings.Replace(r.module, "@", " ", 1))
	for i := range programs {
		slices.Sort(memory[i])
		fmt.Printf(" %d |", memory[i][rounds/2])
	}
	for i := range programs {
		slices.Sort(rates[i])
		fmt.Printf(" %.0f (%.0f to %.0f) |", rates[i][rounds/2], rates[i][0], rates[i][rounds-1])
	}
	fmt.Println()
	return nil
}

// build makes a program with a copy of the module, and returns its file.
func build(root, dir string, r row, changed bool) (string, error) {
	program, module := filepath.Join(dir, "program"), filepath.Join(dir, "module")
	testdata := filepath.Join(root, "proof/results/waiting/testdata")
	for _, from := range []string{"common", r.name} {
		if err := os.CopyFS(program, os.DirFS(filepath.Join(testdata, from))); err != nil {
			return "", err
		}
	}
	out, err := output(program, "go", "mod", "download", "-json", r.module)
	if err != nil {
		return "", err
	}
	var downloaded struct{ Path, Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", err
	}
	if err := os.CopyFS(module, os.DirFS(downloaded.Dir)); err != nil {
		return "", err
	}
	if changed {
		for _, c := range [][]string{
			{filepath.Join(program, "patch")},
			{"go", "mod", "edit", "-require", library + "@v0.0.0", "-replace", library + "=" + root},
			{"go", "mod", "tidy"},
			append([]string{"go", "test"}, r.tests...),
		} {
			if _, err := output(module, c[0], c[1:]...); err != nil {
				return "", err
			}
		}
	}
	text := "module program\n\ngo 1.25.0\n\nrequire " + strings.Replace(r.module, "@", " ", 1) +
		"\n\nreplace " + downloaded.Path + " => " + module + "\n\nreplace " + library + " => " + root + "\n"
	if err := os.WriteFile(filepath.Join(program, "go.mod"), []byte(text), 0o666); err != nil {
		return "", err
	}
	file := filepath.Join(program, "program.exe")
	if _, err := output(program, "go", "mod", "tidy"); err != nil {
		return "", err
	}
	_, err = output(program, "go", "build", "-o", file, ".")
	return file, err
}

// A process is a running program that answers lines.
type process struct {
	cmd *exec.Cmd
	in  interface {
		Write([]byte) (int, error)
		Close() error
	}
	out *bufio.Scanner
}

func start(name string, args ...string) (*process, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{c, in, bufio.NewScanner(out)}, c.Start()
}

func (p *process) stop() {
	p.in.Close()
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// line returns the next line of the output.
func (p *process) line() (string, error) {
	if !p.out.Scan() {
		return "", fmt.Errorf("%s has ended", p.cmd.Path)
	}
	return p.out.Text(), nil
}

// look returns the figures of a server.
func (p *process) look() (f struct{ Memory, CPU int64 }, err error) {
	fmt.Fprintln(p.in, "look")
	line, err := p.line()
	if err == nil {
		err = json.Unmarshal([]byte(line), &f)
	}
	return f, err
}

// run returns the bytes of a connection that waits, and the requests per second of processor time.
func run(program string, r row) (bytes int64, rate float64, err error) {
	server, err := start(program)
	if err != nil {
		return 0, 0, err
	}
	defer server.stop()
	addr, err := server.line()
	if err != nil {
		return 0, 0, err
	}
	before, err := server.look()
	if err != nil {
		return 0, 0, err
	}
	clients, err := start(program, addr, strconv.Itoa(r.idle), strconv.Itoa(r.requests))
	if err != nil {
		return 0, 0, err
	}
	defer clients.stop()
	if _, err := clients.line(); err != nil {
		return 0, 0, err
	}
	idle, err := server.look()
	if err != nil {
		return 0, 0, err
	}
	fmt.Fprintln(clients.in, "go")
	if _, err := clients.line(); err != nil {
		return 0, 0, err
	}
	after, err := server.look()
	return (idle.Memory - before.Memory) / int64(r.idle), float64(r.requests) / (float64(after.CPU-idle.CPU) / 1e9), err
}
