package demo

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// overloadCorpus has files that do not fit into the sockets' buffers.
func overloadCorpus(t *testing.T) string {
	body := strings.Repeat("see golang.org/x/net"+strings.Repeat(" and others", 1000)+"\n", 24) // 258 KiB
	return corpusOf(t, map[string]string{"empty": "", "1": "1", "2": "golang.org", "3": "", "4": "", "5": "", "a": body, "b": body[7:] + "b", "c/c": strings.Repeat("c", 300_000)})
}

func TestRunOverload(t *testing.T) {
	t.Parallel()
	c := OverloadConfig{
		Config:   Config{Duration: time.Second, Concurrency: 24, Corpus: overloadCorpus(t)},
		MaxInUse: 2 << 20,
	}
	if pooltest.Long() { // so long that all clients send a request even on a slow machine
		c.Duration = 4 * time.Second
	}
	report, err := RunOverload(t.Context(), c, noProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if report.Overhead != report.MaxIdle+report.Connections+report.Fixed || len(report.Gateways) != 2 {
		t.Fatalf("implausible: %+v", report)
	}
	ceiling, none := report.Gateways[0], report.Gateways[1]
	for _, g := range report.Gateways {
		if g.Served == 0 || g.Wrong != 0 || g.P50 <= 0 || g.P99 < g.P50 || g.PeakInUse == 0 || g.PeakHeap == 0 || g.IdleHeap == 0 || g.Recovered != recoveryRequests {
			t.Errorf("implausible: %+v", g)
		}
	}
	if ceiling.PeakInUse > c.MaxInUse || pooltest.Long() && (ceiling.Waited == 0 || ceiling.LongestWait == 0) {
		t.Errorf("with a ceiling: %+v", ceiling)
	}
	if pooltest.Long() && none.PeakInUse <= c.MaxInUse || none.Waited != 0 || none.Refused != 0 {
		t.Errorf("without a ceiling: %+v", none)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ceiling", "none", "refused", "overhead: ", "recovered: all 1,000", "fewer are served", "a lower -memory-limit"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, &table)
		}
	}
}

// TestOverloadKilled sets a memory limit that only the gateway with a ceiling stays below.
func TestOverloadKilled(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector takes more memory than both gateways")
	}
	if !pooltest.Long() {
		t.Skip("fills the memory limit, which takes seconds: BASIN_TEST_LONG=1")
	}
	c := OverloadConfig{
		Config:      Config{Duration: 10 * time.Second, Concurrency: 300, Corpus: overloadCorpus(t)},
		MaxInUse:    2 << 20,
		MemoryLimit: 64 << 20,
	}
	report, err := RunOverload(t.Context(), c, noProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	ceiling, none := report.Gateways[0], report.Gateways[1]
	if ceiling.killed() || ceiling.Served == 0 || ceiling.Recovered != recoveryRequests || ceiling.PeakMemory == 0 || ceiling.PeakMemory > c.MemoryLimit {
		t.Errorf("with a ceiling: %+v", ceiling)
	}
	if !none.killed() || none.WithinLimits || none.PeakMemory <= c.MemoryLimit || none.Recovered != 0 {
		t.Errorf("without a ceiling: %+v", none)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"none:    killed after ", "exceeds the memory limit and is killed", "RSS"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in the table:\n%s", want, &table)
		}
	}
}

// TestMemoryLimitTooLow sets a limit that would kill the gateway with a ceiling, too.
func TestMemoryLimitTooLow(t *testing.T) {
	c := OverloadConfig{Config: Config{Duration: time.Second, Concurrency: 1, Corpus: t.TempDir()}, MaxInUse: 64 << 20, MemoryLimit: 64 << 20}
	if err := c.Complete(); err == nil || !strings.Contains(err.Error(), "-memory-limit must be at least 96 MiB") {
		t.Errorf("error is %v", err)
	}
}

// TestOverloadInterrupted interrupts a run after the first gateway.
func TestOverloadInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := OverloadConfig{
		Config:   Config{Duration: time.Second, Concurrency: 24, Corpus: overloadCorpus(t)},
		MaxInUse: 2 << 20,
	}
	report, err := RunOverload(ctx, c, progressFunc(func(_ float64, _ time.Duration, what string) {
		if strings.HasPrefix(what, "none: ") {
			cancel()
		}
	}))
	if err != context.Canceled || report == nil || !report.Interrupted || len(report.Gateways) != 1 || report.Err() != nil {
		t.Fatalf("error is %v, report %+v", err, report)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil || !strings.HasPrefix(table.String(), "Interrupted: ") {
		t.Errorf("error is %v, table\n%s", err, &table)
	}
}

func TestOverloadCeilingTooLow(t *testing.T) {
	c := OverloadConfig{
		Config:   Config{Duration: time.Second, Concurrency: 2, Corpus: overloadCorpus(t)},
		MaxInUse: 256 << 10,
	}
	_, err := RunOverload(t.Context(), c, noProgress{})
	if err == nil || !strings.Contains(err.Error(), "-max-in-use 256 KiB is too little") {
		t.Errorf("error is %v", err)
	}
}

// TestOverloadFails: without this check, a gateway that sends wrong bytes would pass as
// overloaded.
func TestOverloadFails(t *testing.T) {
	upstream, gateway, load := new(Upstream), new(Gateway), new(Load)
	corpus := corpusOf(t, map[string]string{"large": strings.Repeat("x", 2*corruptOffset)})
	var reply UpstreamReply
	if err := upstream.Start(corpus, &reply); err != nil {
		t.Fatal(err)
	}
	var addr string
	if err := gateway.Start(GatewayArgs{Way: corrupt.name, Upstream: reply.Addr, Concurrency: 2}, &addr); err != nil {
		t.Fatal(err)
	}
	if err := load.Start(LoadArgs{corpus, 1}, nil); err != nil {
		t.Fatal(err)
	}
	err := load.Overload(OverloadArgs{addr, 2, time.Minute, true}, new(OverloadReply))
	if err == nil || !strings.Contains(err.Error(), "large: wrong byte at offset 70000") {
		t.Errorf("error is %v", err)
	}
}

// TestMemoryFor: the rewritten body must fit into the memory that was requested before the body
// arrived.
func TestMemoryFor(t *testing.T) {
	for _, body := range []string{"", "x", origin, strings.Repeat(origin, 100), strings.Repeat(origin, 100) + "golang.or"} {
		if got, least := memoryFor(len(body)), len(body)+RewrittenLen([]byte(body)); got < least {
			t.Errorf("memoryFor(%d) = %d, want %d or more", len(body), got, least)
		}
	}
}

func TestTry(t *testing.T) {
	for _, test := range []struct {
		name, response string
		served         bool
		err            string
	}{
		{"served", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true, ""},
		{"wrong", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", false, "wrong byte at offset 0"},
		{"refused", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nfull", false, ""},
		{"refused for good", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nfull", false, "without Retry-After"},
		{"retry when", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: soon\r\nContent-Length: 4\r\n\r\nfull", false, "soon"},
		{"failed", "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\noops", false, "HTTP/1.1 502 Bad Gateway: oops"},
		{"cut off", "", false, "no response"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, server := net.Pipe()
			defer client.Close()
			go func() {
				io.ReadFull(server, make([]byte, len("request")))
				io.WriteString(server, test.response)
				server.Close()
			}()
			c := &loadConn{Conn: client, r: bufio.NewReader(client), latencies: newLatencies()}
			served, err := c.try(&target{request: []byte("request"), want: []byte("ok")})
			if served != test.served || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("served %v, error %v, want %v, %q", served, err, test.served, test.err)
			}
		})
	}
}
