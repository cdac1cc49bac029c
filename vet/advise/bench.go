package advise

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// testTime matches the time that go test prints.
var testTime = regexp.MustCompile(`(?m)^ok\s+\S+\s+([0-9.]+s)`)

// benchmark runs the benchmarks of a package. The profile covers the whole test program, of which the warm-up is a
// small part.
func (o *options) benchmark(ctx context.Context, pkg string, stderr io.Writer) (*input, error) {
	tmp, err := os.MkdirTemp("", "basin-advise-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	file := func(name string) string { return filepath.Join(tmp, name) }
	fmt.Fprintf(stderr, "Running the benchmarks of package %s\n", pkg)
	cmd := rewrite.Command(ctx, "go", "test", "-tags="+o.tags, "-vet=off", "-run=^$", "-bench="+o.bench, "-memprofile="+file("mem"),
		"-memprofilerate=65536", "-cpuprofile="+file("cpu"), "-o="+file("test"), pkg)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = o.source, &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("go test -bench fails, so mend that first:\n%s", strings.TrimSpace(out.String()))
	}
	if !bytes.Contains(out.Bytes(), []byte("ns/op")) {
		return nil, fmt.Errorf("no benchmark of %s matches %q; go test -list Benchmark %s lists them", pkg, o.bench, pkg)
	}
	var in input
	if err := in.files(ctx, []string{file("mem")}); err != nil {
		return nil, err
	}
	if m := testTime.FindSubmatch(out.Bytes()); m != nil {
		in.heap.duration, _ = time.ParseDuration(string(m[1]))
	}
	err = withFile(ctx, file("cpu"), func(p *profile) error { return in.cpu(ctx, p) })
	return &in, err
}

// find returns a package by its path or folder.
func (o *options) find(ctx context.Context, pkg string) (found benched, err error) {
	cmd := rewrite.Command(ctx, "go", "list", "-tags="+o.tags, "-f={{.ImportPath}}\n{{.Dir}}", pkg)
	cmd.Dir = o.source
	out, err := cmd.Output()
	if err != nil {
		return found, fmt.Errorf("go list %s fails: %w", pkg, err)
	}
	found.path, found.dir, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	return found, nil
}
