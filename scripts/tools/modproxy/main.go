// Command modproxy writes modules of a git repository, as they are at a revision, in the layout
// of a module proxy. So they can be fetched before they are published:
//
//	modproxy -version v0.1.0 -o /tmp/proxy . cmd vet
//	GOPROXY=file:///tmp/proxy go get example.org/module/cmd@v0.1.0
//
// Its arguments are the directories of the modules, relative to the root of the
// repository, which is the working directory. An existing proxy keeps its other
// versions.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

func main() {
	revision := flag.String("rev", "HEAD", "`commit` to take the files from")
	version := flag.String("version", "", "`version` of all modules, such as v0.1.0")
	out := flag.String("o", "", "`directory` of the proxy")
	flag.Parse()
	if *version == "" || *out == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := publishAll(*out, *revision, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

// publishAll writes the modules in dirs into the proxy.
func publishAll(proxy, revision, version string, dirs []string) error {
	// Package zip reads no linked worktree, so it is given a clone.
	clone, err := os.MkdirTemp("", "modproxy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(clone)
	if _, err := git("clone", "--quiet", "--no-checkout", "--shared", ".", clone); err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := publish(proxy, clone, revision, version, path.Clean(dir)); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// publish writes the module in dir of a repository into the proxy.
func publish(proxy, repository, revision, version, dir string) error {
	mod, err := git("show", revision+":"+path.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: version}
	if err := module.Check(m.Path, m.Version); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	date, err := git("show", "--no-patch", "--format=%cI", revision+"^{commit}")
	if err != nil {
		return err
	}
	committed, err := time.Parse(time.RFC3339, strings.TrimSpace(string(date)))
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, committed.UTC()})
	if err != nil {
		return err
	}
	subdirectory := dir
	if dir == "." {
		subdirectory = ""
	}
	var archive bytes.Buffer
	if err := zip.CreateFromVCS(&archive, m, repository, revision, subdirectory); err != nil {
		return err
	}
	versions := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(versions, "list"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known := append(strings.Fields(string(list)), version)
	semver.Sort(known)
	for name, content := range map[string][]byte{
		"list":            []byte(strings.Join(slices.Compact(known), "\n") + "\n"),
		version + ".info": info,
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func git(args ...string) ([]byte, error) {
	output, err := exec.Command("git", args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("git %s: %s", strings.Join(args, " "), bytes.TrimSpace(failed.Stderr))
	}
	return output, err
}
