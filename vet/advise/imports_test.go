package advise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneImport has files with one import, which becomes a group with that of basin.
func TestOneImport(t *testing.T) {
	needGo(t)
	for _, c := range []struct{ imports, want string }{
		{"import \"io\"", "import (\n\t\"io\"\n\n\t\"github.com/basin-go/basin\"\n)\n"},
		{"import \"io\" // of p", "import (\n\t\"io\" // of p\n\n\t\"github.com/basin-go/basin\"\n)\n"},
		{"import (\n\t\"io\"\n)", "import (\n\t\"io\"\n\n\t\"github.com/basin-go/basin\"\n)\n"},
	} {
		dir := writeFiles(t, map[string]string{
			"go.mod": goMod(t, "a.example"),
			"p/p.go": "package p\n\n" + c.imports + "\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n",
		})
		line := uint64(5 + strings.Count(c.imports, "\n"))
		stdout, stderr, status := advise(t, dir, twoProfiles(t, synthetic{"", "a.example/p.F", "/src/a.example/p/p.go", line, line + 1, 100_000, 100_000 << 12, 0, 0}), "-write", "-force")
		written, err := os.ReadFile(filepath.Join(dir, "p", "p.go"))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(written); status != 0 || !strings.Contains(got, "\n"+c.want) || !strings.Contains(got, "basin.Get") {
			t.Errorf("%s: exit status %d, %s%s\n%s", c.imports, status, stdout, stderr, got)
		}
	}
}
