package browser

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// reasons has the page's texts for the reasons of drops.
var reasons = map[string]func(basin.Drops) uint64{
	"Drops: empty":      func(d basin.Drops) uint64 { return d.Empty },
	"Drops: small":      func(d basin.Drops) uint64 { return d.Small },
	"Drops: large":      func(d basin.Drops) uint64 { return d.Large },
	"Drops: extra":      func(d basin.Drops) uint64 { return d.Extra },
	"Drops: foreign":    func(d basin.Drops) uint64 { return d.Foreign },
	"Drops: misaligned": func(d basin.Drops) uint64 { return d.Misaligned },
	"Drops: double":     func(d basin.Drops) uint64 { return d.Double },
	"Drops: full":       func(d basin.Drops) uint64 { return d.Full },
	"Drops: checked":    func(d basin.Drops) uint64 { return d.Checked },
}

func estimated(n uint64) string {
	if n == 0 {
		return "0"
	}
	return "≈ " + grouped(n)
}

func known(n int64) string {
	if n == basin.Unknown {
		return "–"
	}
	return grouped(n)
}

// TestPageAgrees compares the page with Stats, in a program with leaks, misuse, waits and drops of all
// kinds.
func TestPageAgrees(t *testing.T) {
	pooltest.WaitForOtherPools()
	_, keep := pooltest.UseEveryKind(t)
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: pooltest.LeakEvery, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	held := &basin.BytePool{Name: "held"}
	var all [][]byte
	for range 100 {
		all = append(all, held.Get(1000))
	}
	p := open(t, serve(t, nil).page())
	p.live()
	// Idle memory may be trimmed meanwhile, so both are read anew until they agree.
	agree := func(what, got string, want func(all []basin.Stats) map[string]string) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			shown, wanted := js[map[string]string](p, got), want(basinexport.Append(nil))
			wrong := ""
			for word, w := range wanted {
				if shown[word] != w {
					wrong += fmt.Sprintf("\n%s is %q, want %q", word, shown[word], w)
				}
			}
			if wrong == "" {
				return
			}
			if time.Now().After(end) {
				t.Errorf("%s:%s", what, wrong)
				return
			}
		}
	}
	agree("all pools", "Object.fromEntries(document.getElementById('facts').textContent.split(' · ').map(f => [f.replace(/^.* /, ''), f.replace(/ [^ ]*$/, '')]))", func(all []basin.Stats) map[string]string {
		var sum basin.Stats
		drops, pools := uint64(0), 0
		for _, s := range all {
			sum.Lost.Items += s.Lost.Items
			sum.Misuse.Add(s.Misuse)
			drops += s.Drops.Total()
			if !basinexport.OfLimit(&s) {
				pools++
			}
		}
		return map[string]string{
			"pools": fmt.Sprint(pools), "limit": fmt.Sprint(len(all) - pools), "drops": grouped(drops),
			"lost": grouped(sum.Lost.Items), "leaks": estimated(sum.Misuse.Of(basincheck.Leak)), "misuse": grouped(sum.Misuse.Total()),
		}
	})
	agree("the memory of all pools", "Object.fromEntries([...document.querySelectorAll('#all .card')].map(c => [c.querySelector('h3').textContent, c.querySelector('.figure span').textContent]))", func(all []basin.Stats) map[string]string {
		use, idle, waiting := int64(0), int64(0), int64(0)
		for _, s := range all {
			waiting += int64(s.Waiting)
			if !basinexport.OfLimit(&s) { // its memory is that of pools
				use += max(0, s.Bytes.InUse)
				idle += max(0, s.Bytes.Idle)
			}
		}
		return map[string]string{"In use": js[string](p, fmt.Sprintf("bytes(%d)", use)), "Idle": js[string](p, fmt.Sprintf("bytes(%d)", idle)), "Waiting": fmt.Sprint(waiting)}
	})
	for i, s := range basinexport.Append(nil) {
		agree("the row of "+s.Name, fmt.Sprintf(`(() => {
			const heads = [...document.querySelector('#pools thead tr').cells].map(c => c.dataset.column);
			const row = %s.closest('tr');
			return Object.fromEntries(heads.map((h, i) => [h || '', row.cells[i].children[1]?.textContent || '']));
		})()`, name(s.Name)), func(all []basin.Stats) map[string]string {
			s := all[i]
			if basinexport.OfLimit(&s) {
				return map[string]string{
					"drops": "–", "leaks": "–", "misuse": "–", "idle": "–", "gets": "–", "refused": grouped(s.Refused), "lost": grouped(s.Lost.Items),
					"beyond": grouped(s.Beyond), "reserved": js[string](p, fmt.Sprintf("bytes(%d)", s.Reserved)),
				}
			}
			return map[string]string{
				"beyond": grouped(s.Beyond), "reserved": "–",
				"drops": grouped(s.Drops.Total()), "leaks": estimated(s.Misuse.Of(basincheck.Leak)),
				"misuse": grouped(s.Misuse.Total()), "refused": grouped(s.Refused), "lost": grouped(s.Lost.Items),
			}
		})
		p.open(s.Name)
		agree("what is below "+s.Name, "Object.fromEntries([...document.querySelectorAll('.detail table.plain tr')].filter(r => r.cells.length === 2).map(r => [r.cells[0].textContent.replace(/ \\(.*/, ''), r.cells[1].textContent]))", func(all []basin.Stats) map[string]string {
			s := all[i]
			if basinexport.OfLimit(&s) {
				return map[string]string{
					"Bytes in use now, of all pools under it": grouped(s.Bytes.InUse), "Bytes reserved now": grouped(s.Reserved), "Maximum": grouped(s.Bytes.MaxInUse),
					"Peak of both": grouped(s.PeakInUse.Bytes), "Waited": grouped(s.Waited), "Refused": grouped(s.Refused), "Beyond the limit": grouped(s.Beyond),
					"Reservations lost": grouped(s.Lost.Items), "Bytes lost": grouped(s.Lost.Bytes),
				}
			}
			want := map[string]string{
				"Gets": grouped(s.Gets), "Hits": grouped(s.Hits), "Misses": grouped(s.Misses), "Puts": grouped(s.Puts), "Trimmed": grouped(s.Trimmed),
				"Items in use now": grouped(s.Items.InUse), "Items idle now": grouped(s.Items.Idle),
			}
			if s.Bytes.Idle != basin.Unknown {
				want["Bytes in use now"], want["Bytes idle now"] = known(s.Bytes.InUse), known(s.Bytes.Idle)
			}
			if s.Waited > 0 {
				want["Waited"], want["Refused"] = grouped(s.Waited), grouped(s.Refused)
			}
			if s.Beyond > 0 {
				want["Beyond the limit"] = grouped(s.Beyond)
			}
			if s.Outside > 0 {
				want["Outside"] = grouped(s.Outside)
			}
			if s.Adopted > 0 {
				want["Adopted"] = grouped(s.Adopted)
			}
			if s.Lost.Items > 0 {
				want["Lost"], want["Bytes lost"] = grouped(s.Lost.Items), grouped(s.Lost.Bytes)
			}
			for reason, of := range reasons {
				if n := of(s.Drops); n > 0 {
					want[reason] = grouped(n)
				}
			}
			for _, k := range basincheck.Kinds() {
				switch n := s.Misuse.Of(k); {
				case n == 0:
				case k == basincheck.Leak:
					want["Leaks"] = estimated(n)
				default:
					want["Misuse: "+strings.ReplaceAll(k.Name(), "_", " ")] = grouped(n)
				}
			}
			return want
		})
		agree("the size classes of "+s.Name, "Object.fromEntries([...document.querySelectorAll('.detail .scroll tbody tr')].map(r => [r.cells[0].textContent, r.cells[8].textContent]))", func(all []basin.Stats) map[string]string {
			s, want, other := all[i], map[string]string{}, all[i].Drops.Total()
			for _, c := range s.Classes {
				want[js[string](p, fmt.Sprintf("bytes(%d)", c.Size))] = grouped(c.Full + c.Double + c.Checked)
				other -= c.Full + c.Double + c.Checked
			}
			switch {
			case len(s.Classes) == 0:
				return nil
			case s.Outside > 0 || other > 0:
				want["no class"] = grouped(other)
			}
			if len(want) > 1 {
				want["all"] = grouped(s.Drops.Total())
			}
			return want
		})
		js[any](p, name(s.Name)+".click()") // one is open at a time
	}
	for i, s := range basincheck.Outstanding() {
		cells := fmt.Sprintf("[...document.querySelectorAll('#sites tbody tr')[%d].cells].slice(1, 6).map(c => c.textContent).join()", i)
		until(p, cells, fmt.Sprintf("%s,%d,%d,%d,%d", s.Pool, s.Gets, s.Puts, s.Leaks, s.Items))
	}
	runtime.KeepAlive(keep)
	runtime.KeepAlive(all)
}
