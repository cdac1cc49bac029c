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
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/basin-go/basin/lab/internal/uploads"
	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/shirou/gopsutil/v4/process"
)

const aboutLimit = `A server reads uploads whole, many at once. Each way to read them runs in a process of its own, in
each of these manners:

  none       without a limit
  semaphore  without basin: the standard library behind a semaphore
  refuse     under a Limit; uploads that find no room are answered 503
  reserve    under a Limit, with memory that is reserved before the first byte is read

Every byte is checked. The exit status is 1 if a server under a Limit takes more than -most, if it serves
a wrong byte, or if it refuses an upload that has a reservation.

With -container 256MiB, each server runs in a control group with so much memory, where the kernel kills
a process that takes more. That needs Linux, and root.`

// limitPart is the command of the process that serves.
const limitPart = "limit-part"

// A limitConfig has the settings of all runs.
type limitConfig struct {
	uploads.Config
	most        int64
	memoryLimit int64
	container   int64
	each        int
	n           int
}

func runLimit(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("limit", flag.ContinueOnError)
	c := limitConfig{most: 200 << 20, memoryLimit: 180 << 20}
	c.Size, c.Max, c.MaxIdle = 3<<20, 120<<20, 16<<20
	flags.IntVar(&c.n, "n", 200, "`number` of clients that send at once")
	flags.IntVar(&c.each, "each", 2, "`number` of uploads of each client, one after another")
	flags.Func("size", "size of an upload in `bytes` (default 3MiB)", bytesTo(&c.Size))
	flags.Func("max", "Max of the Limit in `bytes` (default 120MiB)", bytesTo(&c.Max))
	flags.Func("max-idle", "MaxIdle of the default pool in `bytes` (default 16MiB)", bytesTo(&c.MaxIdle))
	flags.Func("memory-limit", "GOMEMLIMIT of the servers in `bytes` (default 180MiB)", bytesTo(&c.memoryLimit))
	flags.Func("most", "the most resident `bytes` of a server under a Limit (default 200MiB)", bytesTo(&c.most))
	flags.Func("container", "run servers in a control group with so many `bytes` (default none)", bytesTo(&c.container))
	ways := flags.String("ways", strings.Join(uploads.Ways(), ","), "`ways` to read an upload")
	manners := flags.String("manners", strings.Join(uploads.Manners, ","), "`manners` to meet the limit")
	if err := parse(flags, aboutLimit, args, stdout); err != nil {
		return err
	}
	switch {
	case c.n < 1 || c.each < 1:
		return usageErrorf("-n and -each must be at least 1")
	case c.Size < 1 || c.Size > 1<<30 || c.Max < 1 || c.MaxIdle < 1 || c.memoryLimit < 1:
		return usageErrorf("-size is from 1 byte to 1 GiB; -max, -max-idle and -memory-limit are more than zero")
	}
	chosen, err := chosenFrom("-ways", *ways, uploads.Ways())
	if err != nil {
		return err
	}
	how, err := chosenFrom("-manners", *manners, uploads.Manners)
	if err != nil {
		return err
	}
	var results []limitResult
	progress := terminal.NewProgress(os.Stderr)
	for i, way := range chosen {
		for k, manner := range how {
			c.Way, c.Manner = way, manner
			progress.Step(float64(i*len(how)+k)/float64(len(chosen)*len(how)), 0, way+", "+manner)
			r, err := c.run(ctx)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", way, manner, err)
			}
			results = append(results, r)
		}
	}
	progress.Step(1, 0, "done")
	if err := c.write(stdout, results); err != nil {
		return err
	}
	return c.judge(results)
}

// chosenFrom returns the parts of list, which must be among those of all.
func chosenFrom(name, list string, all []string) ([]string, error) {
	chosen := strings.Split(list, ",")
	for _, s := range chosen {
		if !slices.Contains(all, s) {
			return nil, usageErrorf("%s: unknown %q; there are: %s", name, s, strings.Join(all, ", "))
		}
	}
	return chosen, nil
}

// A limitResult is the result of one server.
type limitResult struct {
	way, manner string
	uploads.Figures
	answered int // uploads that clients have an answer to
	took     time.Duration
	cpu      time.Duration // of the server
	peak     int64         // most resident memory
	killed   bool
}

// perSecond returns the bytes that were served in a second.
func (r limitResult) perSecond(size int64) float64 {
	return float64(r.Served) * float64(size) / r.took.Seconds()
}

// run starts a server and sends it the uploads.
func (c limitConfig) run(ctx context.Context) (r limitResult, err error) {
	r.way, r.manner = c.Way, c.Manner
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, in, lines, leave, err := c.start(ctx)
	if err != nil {
		return r, err
	}
	defer leave()
	defer server.Wait()
	defer in.Close()
	if !lines.Scan() {
		return r, fmt.Errorf("the server did not begin: %w", cmpErr(lines.Err()))
	}
	address := lines.Text()
	bodies, err := uploads.Encode(c.Way, c.Size)
	if err != nil {
		return r, err
	}
	ended := make(chan struct{})
	looked := make(chan int64)
	go func() { looked <- watchMemory(server.Process.Pid, ended) }()
	began := time.Now()
	answered, sendErr := c.send(ctx, "http://"+address, bodies)
	r.took = time.Since(began)
	in.Close()
	if lines.Scan() {
		err = json.Unmarshal(lines.Bytes(), &r.Figures)
	} else {
		r.killed = true
	}
	close(ended)
	r.peak = <-looked
	r.answered = answered
	waitErr := server.Wait()
	r.cpu = server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case r.killed && c.container > 0 && waitErr != nil:
		return r, nil
	case r.killed:
		return r, fmt.Errorf("the server has ended: %w", cmpErr(waitErr))
	}
	return r, errors.Join(err, sendErr)
}

func cmpErr(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// start starts a server. leave removes its control group.
func (c limitConfig) start(ctx context.Context) (server *exec.Cmd, in io.WriteCloser, lines *bufio.Scanner, leave func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, nil, nil, err
	}
	settings, err := json.Marshal(c.Config)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	args, leave := []string{exe, limitPart, string(settings)}, func() {}
	if c.container > 0 {
		group, err := newGroup(c.container)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		args, leave = append(group.enter(), args...), group.remove
	}
	server = exec.CommandContext(ctx, args[0], args[1:]...)
	server.Env = append(os.Environ(), "GOMEMLIMIT="+strconv.FormatInt(c.memoryLimit, 10))
	server.Stderr = os.Stderr
	if in, err = server.StdinPipe(); err == nil {
		var out io.Reader
		if out, err = server.StdoutPipe(); err == nil {
			lines = bufio.NewScanner(out)
			err = server.Start()
		}
	}
	if err != nil {
		leave()
		return nil, nil, nil, nil, err
	}
	return server, in, lines, leave, nil
}

// send sends all uploads, and returns the number of answers. If the server ends, that is no error.
func (c limitConfig) send(ctx context.Context, url string, bodies []uploads.Body) (answered int, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: c.n, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetWriteBuffer(uploads.SocketBuffer)
		}
		return conn, err
	}}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport}
	var answers atomic.Int64
	var failed atomic.Pointer[error]
	var clients sync.WaitGroup
	for i := range c.n {
		clients.Go(func() {
			for k := range c.each {
				body := bodies[(i+k)%len(bodies)]
				request, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body.Data))
				if err != nil {
					failed.Store(&err)
					return
				}
				request.Header = body.Header
				response, err := client.Do(request)
				if err != nil {
					return // the server's figures tell
				}
				text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
				response.Body.Close()
				switch response.StatusCode {
				case http.StatusOK, http.StatusServiceUnavailable:
					answers.Add(1)
				default:
					err := fmt.Errorf("%s: %s", response.Status, bytes.TrimSpace(text))
					failed.Store(&err)
				}
			}
		})
	}
	clients.Wait()
	if p := failed.Load(); p != nil {
		err = *p
	}
	return int(answers.Load()), err
}

// watchMemory returns the most resident memory of a process until ended is closed.
func watchMemory(pid int, ended <-chan struct{}) (peak int64) {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		<-ended
		return 0
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if m, err := p.MemoryInfo(); err == nil {
			peak = max(peak, int64(m.RSS), int64(m.HWM))
		}
		select {
		case <-ended:
			return peak
		case <-tick.C:
		}
	}
}

// write prints the results as a table.
func (c limitConfig) write(w io.Writer, results []limitResult) error {
	t := terminal.NewTable(table.Row{"way", "manner", "served", "refused", "MB/s", "CPU ms\neach", "peak\nRSS MiB", "peak in\nuse MiB", "beyond", "waited", "GCs"})
	for _, r := range results {
		if r.killed {
			t.AppendRow(table.Row{r.way, r.manner, "killed", "–", "–", "–", mebibytes(r.peak), "–", "–", "–", "–"})
			continue
		}
		t.AppendRow(table.Row{
			r.way, r.manner, r.Served, r.Refused, fmt.Sprintf("%.0f", r.perSecond(c.Size)/1e6),
			fmt.Sprintf("%.1f", r.cpu.Seconds()*1e3/float64(max(r.answered, 1))),
			mebibytes(r.peak), mebibytes(r.PeakInUse), r.Beyond, r.Waited, r.Collections,
		})
	}
	container := ""
	if c.container > 0 {
		container = ", in a control group of " + humanize.IBytes(uint64(c.container))
	}
	_, err := fmt.Fprintf(w, "%s\n\n%d clients at once, each with %d uploads of %s; GOMEMLIMIT %s, Limit %s, MaxIdle %s%s; %d CPUs.\nEvery byte served was checked.\n",
		t.Render(), c.n, c.each, humanize.IBytes(uint64(c.Size)), humanize.IBytes(uint64(c.memoryLimit)),
		humanize.IBytes(uint64(c.Max)), humanize.IBytes(uint64(c.MaxIdle)), container, runtime.NumCPU())
	return err
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/(1<<20)) }

// judge returns an error that names each result that must not be.
func (c limitConfig) judge(results []limitResult) error {
	var all []error
	for _, r := range results {
		if r.manner != "refuse" && r.manner != "reserve" {
			continue
		}
		name := r.way + ", " + r.manner
		sent := c.n * c.each
		switch {
		case r.killed:
			all = append(all, fmt.Errorf("%s: killed", name))
		case r.peak > c.most:
			all = append(all, fmt.Errorf("%s: %s resident, more than %s", name, humanize.IBytes(uint64(r.peak)), humanize.IBytes(uint64(c.most))))
		case r.Served+r.Refused != sent || r.answered != sent:
			all = append(all, fmt.Errorf("%s: %d uploads, %d served, %d refused, %d answered", name, sent, r.Served, r.Refused, r.answered))
		case r.manner == "reserve" && r.Refused > 0:
			all = append(all, fmt.Errorf("%s: %d refused in spite of a reservation", name, r.Refused))
		}
	}
	return errors.Join(all...)
}
