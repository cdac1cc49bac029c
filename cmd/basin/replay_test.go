package main

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// A usingWriter uses a pool when the handler asks for the header, which it does once it
// records.
type usingWriter struct {
	http.ResponseWriter
	use func()
}

func (w usingWriter) Header() http.Header {
	w.use()
	return w.ResponseWriter.Header()
}

func (w usingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestRecordAndReplay records this program and replays the file.
func TestRecordAndReplay(t *testing.T) {
	h := basinhttp.Handler(basinhttp.AllowRecord())
	p := &basin.BytePool{Name: "bodies\x1b[2J"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(usingWriter{w, func() { p.Put(p.Get(5000)) }}, r)
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "x.trace")
	c, stdout, stderr := command(t, "record", "-o", file, "-duration", "300ms", s.URL)
	err := c.Run()
	if err != nil || !strings.Contains(stdout.String(), " of 1 pool in ") || stderr.Len() > 0 {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("it leaves %v behind, error %v", entries, err)
	}

	c, stdout, stderr = command(t, "replay", file)
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	for _, want := range []string{"bodies", "held at most", "basin, best fit up to 4x"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.ContainsRune(stdout.String(), 0x1b) {
		t.Errorf("a name is printed as it is: %q", stdout)
	}

	c, stdout, stderr = command(t, "replay", "-json", file)
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var all struct {
		Every int
		Pools []struct {
			Pool    string
			Gets    int
			Results []struct {
				Policy string
				New    int64 `json:"new_bytes"`
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil || all.Every != 1 || len(all.Pools) != 1 || all.Pools[0].Gets == 0 || all.Pools[0].Results[0].New == 0 || all.Pools[0].Results[0].New%6144 != 0 {
		t.Errorf("%+v, error %v", all, err)
	}
}

func TestReplayMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string, zip bool) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if !zip {
			f.WriteString(data)
			return f.Name()
		}
		z := gzip.NewWriter(f)
		defer z.Close()
		z.Write([]byte(data))
		return f.Name()
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"record without a file", []string{"record", "http://localhost:1"}, exitUsage, "a file for the trace: -o FILE"},
		{"record without a URL", []string{"record", "-o", "x"}, exitUsage, "one URL"},
		{"record too long", []string{"record", "-o", "x", "-duration", "2m", "http://localhost:1"}, exitUsage, "at most a minute"},
		{"record one in none", []string{"record", "-o", "x", "-every", "0", "http://localhost:1"}, exitUsage, "-every is 0"},
		{"record into nowhere", []string{"record", "-o", filepath.Join(dir, "no", "x"), "http://localhost:1"}, exitFailure, "no such"},
		{"record into a directory", []string{"record", "-o", dir, "http://127.0.0.1:1"}, exitFailure, "it is a directory"},
		{"record nobody", []string{"record", "-o", filepath.Join(dir, "x"), "http://127.0.0.1:1"}, exitFailure, "refused"},
		{"replay nothing", []string{"replay"}, exitUsage, "one file"},
		{"replay a missing file", []string{"replay", filepath.Join(dir, "none")}, exitFailure, "no such file"},
		{"replay a file that is not zipped", []string{"replay", write("a", "basin trace 1\n", false)}, exitFailure, "no trace of basin record"},
		{"replay a file that is no trace", []string{"replay", write("b", "hello", true)}, exitFailure, "not a trace"},
		{"replay with a bad size", []string{"replay", "-max-idle", "much", "x"}, exitUsage, "-max-idle is much"},
		{"replay with a bad time", []string{"replay", "-idle-time", "-1s", "x"}, exitUsage, "-idle-time is -1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, stdout, stderr := command(t, tt.args...)
			c.Run()
			if got := c.ProcessState.ExitCode(); got != tt.status || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
				t.Errorf("exit status %d, %s%s; want %d and %q", got, stdout, stderr, tt.status, tt.want)
			}
		})
	}
}
