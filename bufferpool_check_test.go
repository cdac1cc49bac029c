package basin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/checktest"
)

// poison is what is in memory that was put.
const poison = 0xDB

func TestCheckHandles(t *testing.T) {
	told := checktest.Begin(t, checktest.Full)
	var p basin.BufferPool
	b := p.Get()
	b.WriteString("contents")
	p.Put(b)
	if got := b.String(); got != strings.Repeat("\xDB", 8) {
		t.Errorf("contents after Put: %q, want poison", got)
	}
	if got := told.Take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	b.WriteString("more")
	if got := checktest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.UseAfterRelease}) {
		t.Errorf("a write after Put: reported %v", got)
	}
	if got := b.String(); got != "more" {
		t.Errorf("after that it holds %q, want what was written", got)
	}
	p.Put(new(basin.Buffer)) // is no handle, and allowed
	p.Put(nil)
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
	p.Put(b)
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 || s.Misuse[basincheck.UseAfterRelease] != 1 || s.Misuse[basincheck.DoublePut] != 1 || s.Bytes.InUse != 0 {
		t.Errorf("stats: %+v", s)
	}
	b = p.Get()
	b.Write(make([]byte, 100_000)) // grows
	kept := b.Bytes()
	p.Put(b)
	if kept[50_000] != poison {
		t.Error("an outgrown handle's contents are no poison after Put")
	}
	told.Take()
	kept[7] = 1
	basincheck.Verify()
	if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.WriteAfterPut || got[0].Offset != 7 {
		t.Errorf("a write to kept contents: reported %v", got)
	}
}
