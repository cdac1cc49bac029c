//go:build go1.25

package warn

import (
	"bytes"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPrograms: a program gets warnings through slog if it may have replaced slog's default logger, and else through
// package log, without slog and its JSON encoder.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" || testing.Short() {
		t.Skip("no go command, or no time to link two programs")
	}
	for _, tt := range []struct {
		program, want string
		slog          bool
	}{
		{"plain", `WARN basin: text pool="a b" n=1`, false},
		{"replaced", `{"level":"WARN","msg":"basin: text","pool":"a b","n":1}`, true},
	} {
		bin := filepath.Join(t.TempDir(), tt.program+".exe")
		if out, err := exec.Command("go", "build", "-o", bin, "./testdata/"+tt.program).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(bin).CombinedOutput()
		if err != nil || string(out) != tt.want+"\n" {
			t.Errorf("%s: %v, it logged\n%swant\n%s", tt.program, err, out, tt.want)
		}
		code, err := os.ReadFile(bin)
		if err != nil {
			t.Fatal(err)
		}
		if linked := bytes.Contains(code, []byte("log/slog.(*commonHandler).handle")); linked != tt.slog {
			t.Errorf("%s: slog is linked: %v, want %v", tt.program, linked, tt.slog)
		}
	}
}

// TestLine compares with slog's default logger.
func TestLine(t *testing.T) {
	var b bytes.Buffer
	log.SetOutput(&b)
	flags := log.Flags()
	log.SetFlags(0)
	t.Cleanup(func() { log.SetOutput(os.Stderr); log.SetFlags(flags) })
	for _, value := range []any{
		0, -5, uint64(1 << 63), true, 5 * time.Second, "", "word", "two words", "a=b", `a"b`, `a\b`, "a\nb", "tab\t", "é", "日本",
		"\u2028", "\xff", "\x00", "main.go:12; b.go:7", "<html>",
	} {
		b.Reset()
		slog.Warn("basin: text", "first", 1, "key", value)
		if got := line("basin: text", []any{"first", 1, "key", value}) + "\n"; got != b.String() {
			t.Errorf("%#v:\n%swant\n%s", value, got, b.String())
		}
	}
}

// TestLog logs through a default logger that is not slog's own, and then through slog's own.
func TestLog(t *testing.T) {
	var b bytes.Buffer
	before, flags := slog.Default(), log.Flags()
	t.Cleanup(func() { slog.SetDefault(before); log.SetOutput(os.Stderr); log.SetFlags(flags) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelWarn})))
	Log("basin: text", "pool", "a b")
	if want := " level=WARN msg=\"basin: text\" pool=\"a b\"\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q, want … %q", b.String(), want)
	}
	slog.SetDefault(before)
	b.Reset()
	log.SetOutput(&b)
	log.SetFlags(0)
	Log("basin: text", "pool", "a b")
	if want := "WARN basin: text pool=\"a b\"\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
