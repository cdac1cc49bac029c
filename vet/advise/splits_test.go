package advise

import (
	"strings"
	"testing"
)

// TestSeveralPlaces has memory that several places have, of which at most one is extended. Then append may use the rest of a pool's
// array.
func TestSeveralPlaces(t *testing.T) {
	needGo(t)
	for body, exact := range map[string]bool{
		"b = append(b, 'x')\n\tuse(b)\n\tb = append(b, 'y')":                                           true, // the variable is set again
		"p := pages{b}\n\tp.list = append(p.list, 'x')\n\tp.list = append(p.list, 'y')\n\tuse(p.list)": false,
		"l := [][]byte{b, nil}\n\tuse(append(l[0], 'x'))":                                              false,
		"l := [][]byte{b, nil}\n\tuse(append(l[0], 'x'))\n\tuse(append(l[0], 'y'))":                    true,
		"p := pages{b}\n\tp.list = append(p.list, 'x')\n\tuse(append(b, 'x'))":                         true,
	} {
		dir := writeFiles(t, map[string]string{
			"go.mod": goMod(t, "a"),
			"a.go": "package a\n\nimport \"os\"\n\ntype pages struct{ list []byte }\n\nfunc use(b []byte) { os.Stdout.Write(b) }\n\n" +
				"func F(n int) {\n\tb := make([]byte, n)\n\t" + body + "\n}\n",
		})
		var sites []synthetic
		for _, size := range []uint64{1 << 12, 1 << 13} {
			sites = append(sites, synthetic{"", "a.F", "/src/a/a.go", 9, 10, 100_000, 100_000 * size, 0, 0})
		}
		stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-diff")
		if status != 0 || strings.Contains(stdout, "b = b[:n:n]") != exact || !strings.Contains(stdout, "basin.GetZeroed(n)") {
			t.Errorf("%s: exit status %d, %s%s", body, status, stderr, stdout)
		}
	}
}
