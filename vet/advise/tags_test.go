package advise

import (
	"strings"
	"testing"
)

// TestMissingTags has modules that compile only with a build tag, and others that do not at all.
func TestMissingTags(t *testing.T) {
	needGo(t)
	const (
		module  = "module a\n\ngo 1.25.0\n"
		version = "mend that, or check out the version of the profile"
	)
	profiles := []string{heapProfile(t, 100, "a", synthetic{"", "a.F", "/src/a/a.go", 3, 3, 100_000, 100_000 << 12, 0, 0})}
	for _, c := range []struct {
		want  string
		files map[string]string
	}{
		{version + ". Or N is missing because with.go is behind a build tag: run this with -tags=static, or with GOFLAGS=-tags=static.", map[string]string{
			"a.go": "package a\n\nfunc F() int { return N }\n", "with.go": "//go:build linux && static\n\npackage a\n\nconst N = 1\n"}},
		{version + ". Or Assets is missing because auto/none.go is behind a build tag: run this with -tags=noassets, or with GOFLAGS=-tags=noassets.", map[string]string{
			"a.go": "package a\n\nimport \"a/auto\"\n\nfunc F() int { return auto.Assets() }\n", "auto/doc.go": "package auto\n",
			"auto/none.go": "// Rights.\n\n//go:build noassets\n// +build noassets\n\npackage auto\n\nfunc Assets() int { return 0 }\n"}},
		{version + ". Or Size is missing because auto/none.go is behind a build tag: run this with -tags=one,two, or", map[string]string{
			"a.go": "package a\n\nimport \"a/auto\"\n\nfunc F(v auto.V) int { return v.Size() }\n", "auto/doc.go": "package auto\n\ntype V struct{}\n",
			"auto/none.go": "//go:build one && two && !three\n\npackage auto\n\nfunc (v V) Size() int { return 0 }\n"}},
		{version + ".", map[string]string{
			"a.go": "package a\n\nfunc F() int { return N }\n", "with_windows.go": "package a\n\nconst N = 1\n"}},
		{version + ".", map[string]string{
			"a.go": "package a\n\nfunc F() int { return N }\n", "with.go": "//go:build ignore\n\npackage a\n\nconst N = 1\n"}},
		{version + ".", map[string]string{
			"a.go": "package a\n\nfunc F() int { return N }\n", "with.go": "//go:build static\n\npackage a\n\nfunc f() { const N = 1 }\n"}},
		{version + ".", map[string]string{
			"a.go": "package a\n\nfunc F() int { return \"\" }\n", "with.go": "//go:build static\n\npackage a\n\nconst N = 1\n"}},
	} {
		c.files["go.mod"] = module
		if stdout, stderr, status := advise(t, writeFiles(t, c.files), profiles); status != 0 || !strings.Contains(joined(stdout), c.want) {
			t.Errorf("exit status %d, %s%s\nlacks %q", status, stdout, stderr, c.want)
		}
	}
}
