package advise

import (
	"strings"
	"testing"
)

// TestSeveralPlaces has memory that several places have, of which at most one is extended, once. Then append may use the rest of a pool's
// array.
func TestSeveralPlaces(t *testing.T) {
	needGo(t)
	for body, exact := range map[string]bool{
		"b = append(b, 'x')\n\tuse(b)\n\tb = append(b, 'y')":                                           true, // the variable is set again
		"p := pages{b}\n\tp.list = append(p.list, 'x')\n\tp.list = append(p.list, 'y')\n\tuse(p.list)": true, // twice
		"l := [][]byte{b, nil}\n\tuse(append(l[0], 'x'))":                                              false,
		"l := [][]byte{b, nil}\n\tuse(append(l[0], 'x'))\n\tuse(append(l[0], 'y'))":                    true,
		"p := pages{b}\n\tp.list = append(p.list, 'x')\n\tuse(append(b, 'x'))":                         true,

		// a branch chooses
		"x := b\n\tif n > 9 {\n\t\tx = nil\n\t}\n\ty := append(b, 'x')\n\tuse(append(x, 'y'))\n\tuse(y)":                                   true,
		"x := b\n\tif n > 9 {\n\t\tx = nil\n\t}\n\tuse(append(x, 'y'))\n\tuse(b)":                                                          false,
		"y := append(b, 'x')\n\tfor range n {\n\t\tb = append(b, 'y')\n\t}\n\tuse(b)\n\tuse(y)":                                            true,
		"x := b\n\tfor i := range n {\n\t\tif i > 9 {\n\t\t\tx = append(x, 'x')\n\t\t}\n\t}\n\tuse(x)":                                     true, // in each round
		"for i := range n {\n\t\tif i > 9 {\n\t\t\tb = append(b, 'x')\n\t\t}\n\t\tb = append(b, 'y')\n\t}\n\tuse(b)":                       true, // set again
		"x := b\n\tif n > 9 {\n\t\tx = append(b, 'x')\n\t}\n\tuse(x)\n\tx = b[:0]\n\tfor range n {\n\t\tx = append(x, 'y')\n\t}\n\tuse(x)": true,
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
