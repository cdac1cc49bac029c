package vet

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sourceRoot is the name by which SARIF knows the directory that paths are relative to.
const sourceRoot = "%SRCROOT%"

// printSARIF prints findings with paths relative to the repository.
func printSARIF(w io.Writer, findings []Finding) error {
	s := sources{root: repository(), lines: map[string][][]byte{}}
	run := sarif.NewRunWithInformationURI("basin vet", "https://pkg.go.dev/github.com/basin-go/basin/vet")
	run.WithColumnKind("unicodeCodePoints")
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{sourceRoot: *sarif.NewArtifactLocation().WithURI(fileURL(s.root) + "/")})
	run.Tool.Driver.WithVersion(version())
	for _, a := range All() {
		title, _, _ := strings.Cut(a.Doc, "\n")
		run.AddRule(a.Name).WithDescription(title).WithHelpURI(a.URL)
	}
	met := map[string]int{}
	for _, f := range findings {
		file, line, _ := split(f.Pos)
		// The identity of a finding stays the same when lines are inserted above it.
		identity := fmt.Sprintf("%s\n%s\n%s", f.Check, s.relative(file), bytes.TrimSpace(s.line(file, line)))
		met[identity]++
		print := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", identity, met[identity]))
		result := run.CreateResultForRule(f.Check).WithLevel("warning").
			WithMessage(sarif.NewTextMessage(f.Message)).AddLocation(s.location(f.Pos, f.End)).
			WithPartialFingerprints(map[string]string{"basinVet/v1": fmt.Sprintf("%x", print[:16])})
		for i, rel := range f.Related {
			result.AddRelatedLocation(s.location(rel.Pos, rel.End).WithID(i).WithMessage(sarif.NewTextMessage(rel.Message)))
		}
	}
	r := report.NewV210Report()
	r.AddRun(run)
	return r.PrettyWrite(w)
}

// sources has the files that findings are in.
type sources struct {
	root  string
	lines map[string][][]byte // by file
}

// relative is the path of a file from the root, with slashes, or the file as it is if it
// is not below the root.
func (s sources) relative(file string) string {
	rel, err := filepath.Rel(s.root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// line is a line of a file, counted from 1, or nothing if it cannot be read.
func (s sources) line(file string, n int) []byte {
	lines, ok := s.lines[file]
	if !ok {
		data, _ := os.ReadFile(file)
		lines = bytes.Split(data, []byte("\n"))
		s.lines[file] = lines
	}
	if n < 1 || n > len(lines) {
		return nil
	}
	return lines[n-1]
}

// column turns a column in bytes into one in code points.
func (s sources) column(file string, line, column int) int {
	text := s.line(file, line)
	return utf8.RuneCount(text[:min(max(column-1, 0), len(text))]) + 1
}

func (s sources) location(pos, end string) *sarif.Location {
	file, line, column := split(pos)
	at := sarif.NewArtifactLocation()
	if rel := s.relative(file); rel != file {
		at.WithURI((&url.URL{Path: rel}).String()).WithURIBaseID(sourceRoot)
	} else {
		at.WithURI(fileURL(file))
	}
	region := sarif.NewRegion()
	if line > 0 { // else the place is the file
		region.WithStartLine(line)
	}
	if column > 0 { // else it is the whole line
		region.WithStartColumn(s.column(file, line, column))
		if endFile, endLine, endColumn := split(end); endFile == file && (endLine > line || endLine == line && endColumn > column) {
			region.WithEndLine(endLine).WithEndColumn(s.column(file, endLine, endColumn))
		}
	}
	return sarif.NewLocationWithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(at).WithRegion(region))
}

// fileURL is the URL of a file with an absolute path.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// repository is the directory above the working directory that has the repository, or
// else the module; or else the working directory.
func repository() string {
	wd, err := os.Getwd()
	if err != nil {
		return "."
	}
	for _, mark := range []string{".git", "go.mod"} {
		for dir := wd; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return wd
}

// version returns the version of basin vet in this program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	const module = "github.com/basin-go/basin/vet"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}
