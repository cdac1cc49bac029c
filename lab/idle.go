package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/lab/internal/report"
)

const aboutIdle = `A server has thousands of connections that wait, each with a reader and a writer of one kind. Its
clients are in this process. First all connections wait, then some send lines without a pause, then all
send one line, and then all wait again. The memory is that of the server: its live heap and its stacks.`

// idlePart is the command of the process that serves.
const idlePart = "idle-part"

// idleWays are the kinds of readers and writers. The first has none: it is the memory of the
// connections themselves.
var idleWays = []struct {
	name  string
	serve func(c net.Conn)
}{
	{"no buffers", func(c net.Conn) {
		first := make([]byte, 1)
		for {
			if _, err := c.Read(first); err != nil {
				return
			}
			line := basin.Get(len(idleLine))
			line[0] = first[0]
			_, err := io.ReadFull(c, line[1:])
			if err == nil {
				_, err = c.Write(line)
			}
			if basin.Put(line); err != nil {
				return
			}
		}
	}},
	{"bufio", func(c net.Conn) { answer(bufio.NewReader(c), bufio.NewWriter(c)) }},
	{"basinio", func(c net.Conn) { answer(basinio.NewReader(c), basinio.NewWriter(c)) }},
}

var idleLine = append(bytes.Repeat([]byte("x"), 999), '\n')

// answer sends each line back.
func answer(r interface{ ReadSlice(byte) ([]byte, error) }, w interface {
	io.Writer
	Flush() error
}) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		w.Write(line)
		if w.Flush() != nil {
			return
		}
	}
}

// A moment is the memory of the server at one time.
type moment struct {
	Heap, Stacks int64
	InUse        int64 // buffers of the pool
}

// idlePhases are the parts of a run.
var idlePhases = []string{"all wait", "some are busy", "each has sent a line"}

func runIdle(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("idle", flag.ContinueOnError)
	n := flags.Int("n", 5000, "`number` of connections; each takes a file descriptor of this process, and one of the server")
	busy := flags.Float64("busy", 1, "`percent` of the connections that are busy")
	over := flags.String("over", "tcp", "tcp, or tls")
	d := flags.Duration("duration", 3*time.Second, "length of each of three phases")
	docs := flags.String("docs", "", "also write the table into benchmarks.md in `directory`")
	if err := parse(flags, aboutIdle, args, stdout); err != nil {
		return err
	}
	if *over != "tcp" && *over != "tls" || *n < 1 || *busy < 0 || *busy > 100 {
		return usageErrorf("-over is tcp or tls, -n at least 1, and -busy from 0 to 100")
	}
	runs := make([][]moment, len(idleWays))
	for i, w := range idleWays {
		var err error
		if runs[i], err = measureIdle(ctx, w.name, *over, *n, int(float64(*n)**busy/100), *d); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	text := idleText(runs, *n)
	if _, err := io.WriteString(stdout, text); err != nil || *docs == "" {
		return err
	}
	name := filepath.Join(*docs, "benchmarks.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if page, err = report.FillIn(page, "idle "+*over, text); err != nil {
		return err
	}
	return os.WriteFile(name, page, 0o666)
}

const momentsPerPhase = 12

// measureIdle returns the moments of a server of the given kind, those of each phase one after
// another.
func measureIdle(ctx context.Context, way, over string, n, busy int, d time.Duration) (all []moment, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := exec.CommandContext(ctx, exe, idlePart, way, over)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer c.Wait()
	defer in.Close()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return nil, fmt.Errorf("the server did not begin: %w", lines.Err())
	}
	address := lines.Text()

	conns := make([]net.Conn, n)
	defer func() {
		for _, c := range conns {
			if c != nil {
				c.Close()
			}
		}
	}()
	for i := range conns {
		if over == "tls" {
			conns[i], err = tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
		} else {
			conns[i], err = net.Dial("tcp", address)
		}
		if err != nil {
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
	}
	look := func() error {
		for range momentsPerPhase {
			select {
			case <-time.After(d / momentsPerPhase):
			case <-ctx.Done():
				return ctx.Err()
			}
			io.WriteString(in, "look\n")
			if !lines.Scan() {
				return fmt.Errorf("the server has ended: %w", lines.Err())
			}
			var m moment
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				return err
			}
			all = append(all, m)
		}
		return nil
	}
	send := func(c net.Conn) error {
		if _, err := c.Write(idleLine); err != nil {
			return err
		}
		_, err := io.ReadFull(c, make([]byte, len(idleLine)))
		return err
	}
	if err := look(); err != nil {
		return nil, err
	}
	var clients errgroup.Group
	stop := make(chan struct{})
	for _, c := range conns[:busy] {
		clients.Go(func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				if err := send(c); err != nil {
					return err
				}
			}
		})
	}
	err = look()
	close(stop)
	if err2 := clients.Wait(); err == nil {
		err = err2
	}
	if err != nil {
		return nil, err
	}
	for _, c := range conns {
		if err := send(c); err != nil {
			return nil, err
		}
	}
	return all, look()
}

// runIdlePart serves until its input ends. For each line of its input, it prints a moment.
func runIdlePart(way, over string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, listener.Addr())
	if over == "tls" {
		config, err := selfSigned()
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, config)
	}
	var serve func(net.Conn)
	for _, w := range idleWays {
		if w.name == way {
			serve = w.serve
		}
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	var printing sync.Mutex
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		debug.FreeOSMemory() // collects
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(s)
		printing.Lock()
		err := json.NewEncoder(stdout).Encode(moment{int64(s[0].Value.Uint64()), int64(s[1].Value.Uint64()), basin.Default().Stats().Bytes.InUse})
		printing.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func selfSigned() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, err
}

// idleText returns a drawing of the memory over time, and a table of bytes for each connection.
func idleText(runs [][]moment, n int) string {
	var most int64
	for _, run := range runs {
		for _, m := range run {
			most = max(most, m.Heap+m.Stacks)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Heap and stacks of a server with %d connections, over time. A full column is %.0f MiB:\n\n```text\n", n, float64(most)/(1<<20))
	fmt.Fprintf(&b, "%-12s", "")
	for _, phase := range idlePhases {
		fmt.Fprintf(&b, "%-*s", 2*momentsPerPhase+2, phase)
	}
	b.WriteByte('\n')
	levels := []rune("▁▂▃▄▅▆▇█")
	for i, run := range runs {
		fmt.Fprintf(&b, "%-12s", idleWays[i].name)
		for k, m := range run {
			level := int((m.Heap + m.Stacks) * int64(len(levels)-1) / most)
			b.WriteString(strings.Repeat(string(levels[level]), 2))
			if (k+1)%momentsPerPhase == 0 && k+1 < len(run) {
				b.WriteString("  ")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("```\n\n| bytes for each connection |")
	for _, phase := range idlePhases {
		fmt.Fprintf(&b, " %s: heap + stack |", phase)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(idlePhases)) + "\n")
	for i, run := range runs {
		fmt.Fprintf(&b, "| %s |", idleWays[i].name)
		for phase := range idlePhases {
			m := run[(phase+1)*momentsPerPhase-1] // at the end of the phase
			fmt.Fprintf(&b, " %s + %s |", thousands(m.Heap/int64(n)), thousands(m.Stacks/int64(n)))
		}
		b.WriteByte('\n')
	}
	var inUse int64
	for _, m := range runs[len(runs)-1] {
		inUse = max(inUse, m.InUse)
	}
	fmt.Fprintf(&b, "\nThe buffers of basinio in use were at most %.1f MiB when they were looked at.\n", float64(inUse)/(1<<20))
	return b.String()
}

// thousands returns n with a comma before each three digits.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
