package examples

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/testenv"
)

// TestShop runs the program of the operator's story in docs/checking.md: each level must name the lines that
// the story says it names.
func TestShop(t *testing.T) {
	testenv.Tree()
	page, err := os.ReadFile("../../docs/checking.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/shop/main.go")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("(?s)## An operator's story.*?\n```go\n(.*?)\n```\n").FindSubmatch(page)
	if quoted == nil || !bytes.Contains(source, quoted[1]) {
		t.Error("the story does not quote its program")
	}
	shop := filepath.Join(t.TempDir(), "shop.exe")
	if out, err := exec.Command("go", "build", "-o", shop, "./testdata/shop").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		level   string
		says    []string
		guarded bool
	}{
		{level: "sampled=16", says: []string{`leak pool=bodies .*acquired="main\.upload`, `double Put pool=bodies .*here="main\.reply`}},
		{level: "sampled=16,guard", says: []string{`use after Put pool=bodies .*main\.history .*put="main\.reply`}, guarded: true},
		{level: "full", says: []string{`panic serving .*double Put`, `main\.reply`}},
	} {
		t.Run(c.level, func(t *testing.T) {
			if c.guarded && !guard.Available {
				t.Skip("this platform has no guarded memory")
			}
			run := exec.Command(shop, "-for", "10m")
			run.Env = append(os.Environ(), "BASIN_CHECK="+c.level)
			log, err := run.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			defer run.Wait()
			defer run.Process.Kill()
			defer time.AfterFunc(5*time.Minute, func() { run.Process.Kill() }).Stop()
			says := c.says
			var seen strings.Builder
			for lines := bufio.NewScanner(log); len(says) > 0 && lines.Scan(); {
				seen.WriteString(lines.Text() + "\n")
				for i, s := range says {
					if regexp.MustCompile(s).MatchString(lines.Text()) {
						says = append(says[:i:i], says[i+1:]...)
						break
					}
				}
			}
			if len(says) > 0 {
				t.Errorf("it does not say %q, but\n%s", says, seen.String())
			}
		})
	}
}
