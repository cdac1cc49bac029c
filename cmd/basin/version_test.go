package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	built := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	setting := func(keysAndValues ...string) (all []debug.BuildSetting) {
		for i := 0; i < len(keysAndValues); i += 2 {
			all = append(all, debug.BuildSetting{Key: keysAndValues[i], Value: keysAndValues[i+1]})
		}
		return all
	}
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"installed", debug.BuildInfo{
			Main: debug.Module{Path: library + "/cmd", Version: "v1.2.3"},
			Deps: []*debug.Module{{Path: "example.org/other", Version: "v9.9.9"}, {Path: library, Version: "v1.4.0"}},
		}, "basin v1.2.3\nlibrary v1.4.0\n"},
		{"built in the repository", debug.BuildInfo{
			Main:     debug.Module{Path: library + "/cmd", Version: "(devel)"},
			Deps:     []*debug.Module{{Path: library, Version: "v0.0.0", Replace: &debug.Module{Path: "../"}}},
			Settings: setting("vcs", "git", "vcs.revision", "0123abc", "vcs.time", "2026-11-22T01:02:03Z", "vcs.modified", "true"),
		}, "basin (devel)\nlibrary v0.0.0, replaced by another copy\nrevision 0123abc of 2026-11-22T01:02:03Z, with changes\n"},
		{"without changes", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: setting("vcs.revision", "0123abc", "vcs.modified", "false")}, "basin (devel)\nrevision 0123abc\n"},
		{"built by another tool than go", debug.BuildInfo{}, "basin of an unknown version\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := writeVersion(&b, &tt.info); err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != tt.want+built {
				t.Errorf("it prints\n%s\nwant\n%s", got, tt.want+built)
			}
		})
	}
	t.Run("the command", func(t *testing.T) {
		c, stdout, stderr := command(t, "version")
		if err := c.Run(); err != nil || !strings.HasPrefix(stdout.String(), "basin ") || !strings.HasSuffix(stdout.String(), built) {
			t.Errorf("error %v, it prints %s%s", err, stdout, stderr)
		}
	})
}
