package advise

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReasonsOfMapLists has lines that let a map and lists in it grow. The sizes of all pieces tell which has most of the bytes.
func TestReasonsOfMapLists(t *testing.T) {
	needGo(t)
	const code = `package p

func join(all ...map[string][]string) map[string][]string {
	out := map[string][]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = append(out[k], v...) // : 352, 16
		}
	}
	return out
}

func long(all ...map[string][]string) map[string][]string {
	out := map[string][]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = append(out[k], v...) // : 352
		}
	}
	return out
}

func few(all ...map[string][]string) map[string][]string {
	out := map[string][]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = append(out[k], v...) // : 352, few of 16
		}
	}
	return out
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, _ := marked("a.example/p", "/src/a.example/p/p.go", code)
	large := sites[0]
	large.objects, large.bytes = 100_000, 100_000*352
	small := sites[0]
	small.objects, small.bytes = 200_000, 200_000*16
	alone := sites[1]
	alone.objects, alone.bytes = 100_000, 100_000*352
	other, lists := sites[2], sites[2]
	other.objects, other.bytes = 200_000, 200_000*352
	lists.objects, lists.bytes = 100_000, 100_000*16
	stdout, stderr, status := advise(t, dir, twoProfiles(t, large, small, alone, other, lists), "-json")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	for _, s := range r.Sites {
		if isMap := strings.Contains(s.Reason, "This is a map"); isMap != (s.short() != "few") {
			t.Errorf("%s: %s; %s", s.short(), s.Verdict, s.Reason)
		}
	}
}
