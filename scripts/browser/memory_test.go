package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// row returns the expression for the text of a cell in a table of the open pool, by caption,
// first cell and position.
func row(caption, first string, cell int) string {
	return fmt.Sprintf("[...document.querySelectorAll('.detail table')].filter(e => e.caption.textContent === %s).flatMap(e => [...e.tBodies[0].rows])"+
		".find(e => e.cells[0].textContent === %s)?.cells[%d].textContent", quote(caption), quote(first), cell)
}

// card returns the expression for a card by its title, of all pools or of the open one.
func card(within, title string) string {
	return fmt.Sprintf("[...document.querySelectorAll('%s .card')].find(e => e.firstChild.textContent === %s)", within, quote(title))
}

// TestRefused has requests wait and be refused.
func TestRefused(t *testing.T) {
	pool := &basin.BytePool{Name: "bounded", MaxInUse: 4096}
	held := pool.Get(4096)
	other := used("other", 1, 100) // of a single pool all cards are above
	p := open(t, serve(t, nil).page())
	p.live()
	p.open("bounded")
	refused := func() {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := pool.GetContext(ctx, 1); err == nil {
			t.Fatal("there is room")
		}
		pool.TryGet(1)
	}
	refused()
	cell := name("bounded") + ".closest('tr').cells[7]"
	until(p, cell+".firstChild.nextSibling.textContent", "2")
	until(p, cell+".querySelector('.sub').textContent.endsWith('/s')", true)
	for _, within := range []string{"#all", ".detail"} {
		until(p, card(within, "Refused per second")+".querySelector('.figure .sub').textContent", "2 in all")
		until(p, card(within, "Waiting")+".querySelector('.figure .sub').textContent.startsWith('longest recent wait ')", true)
		until(p, card(within, "Refused per second")+".querySelectorAll('canvas').length", 1)
	}
	until(p, fact("Refused"), "2")
	waits := 0.0
	for _, name := range []string{"below 1 ms", "1 to 10 ms", "10 to 100 ms", "0.1 to 1 s", "1 to 10 s", "10 to 100 s", "100 to 1,000 s", "1,000 s or more"} {
		waits += js[float64](p, "Number("+row("How long requests waited", name, 2)+")")
	}
	if waits != 1 {
		t.Errorf("%v waits are shown, want 1", waits)
	}
	pool.Put(held)
	until(p, fact("Peak bytes in use"), "4,096")
	until(p, name("bounded")+".closest('tr').cells[4].querySelector('.sub').textContent", "of 4 KiB, peak 4 KiB")
	runtime.KeepAlive(other)
}

// TestLarger has slices in use that are larger than MaxSize, and adds up the table of classes.
func TestLarger(t *testing.T) {
	pool := &basin.BytePool{Name: "pool", MaxSize: 1024}
	held := [][]byte{pool.Get(100), pool.Get(1000), pool.Get(1 << 20)}
	p := open(t, serve(t, nil).page())
	p.live()
	p.open("pool")
	until(p, row("Size classes", "no class", 4), "1 MiB")
	until(p, fact("Bytes larger than MaxSize in use"), "1,048,576")
	s := pool.Stats()
	until(p, fact("Bytes in use now"), grouped(s.Bytes.InUse))
	until(p, row("Size classes", "all", 4), "1 MiB")
	until(p, row("Size classes", "1 KiB", 4), "1 KiB")
	for _, b := range held {
		pool.Put(b)
	}
	until(p, row("Size classes", "no class", 4), "0 B")
	until(p, row("Size classes", "no class", 8), "1") // dropped
	until(p, row("Size classes", "all", 4), "0 B")
}

// TestLost: memory that was never put back is lost under a ceiling, and in use without one. A sentence
// explains that while there is a pool without a ceiling.
func TestLost(t *testing.T) {
	pooltest.WaitForOtherPools()
	pool := &basin.BytePool{Name: "bounded", MaxInUse: 1 << 20}
	pool.Get(1000)
	p := open(t, serve(t, nil).page())
	p.live()
	until(p, "document.getElementById('usage').hidden", true)
	testenv.CollectUntil(func() bool { return pool.Stats().Lost.Items > 0 })
	until(p, "[...document.querySelectorAll('#pools th')].map(e => e.dataset.column).includes('lost')", true)
	until(p, "document.getElementById('facts').textContent.includes('1 lost')", true)
	p.open("bounded")
	until(p, fact("Bytes lost"), "1,024")
	until(p, fact("Bytes in use now"), "0")
	other := &basin.BytePool{Name: "unbounded"}
	other.Get(1000)
	testenv.RunCleanups()
	until(p, "document.getElementById('usage').hidden", false)
	p.open("unbounded")
	until(p, name("unbounded")+".closest('tr').nextElementSibling.textContent.includes('Bytes in use now1,024')", true)
	runtime.KeepAlive(pool)
	runtime.KeepAlive(other)
}

// moments returns how many moments the handler has kept.
func moments(t *testing.T, s *server) int {
	t.Helper()
	answer, err := http.Get(s.page() + "?format=history")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var kept basinhttp.History
	if err := json.NewDecoder(answer.Body).Decode(&kept); err != nil {
		t.Fatal(err)
	}
	return len(kept.Moments)
}

// TestHistory opens the page of a program that has run for a while.
func TestHistory(t *testing.T) {
	pool := &basin.BytePool{Name: "pool"}
	pool.Get(1 << 20)
	s := serve(t, nil, basinhttp.KeepHistory(time.Hour/60))
	for moments(t, s) < 3 {
		time.Sleep(100 * time.Millisecond)
	}
	before := len(s.asked())
	p := open(t, s.page())
	p.live()
	if n := js[int](p, "total.at.length"); n < 4 {
		t.Errorf("the curves begin with %d moments", n)
	}
	if n := js[int](p, "[...pools.values()].find(p => p.now.name === 'pool').history.use.filter(n => n === 1 << 20).length"); n < 4 {
		t.Errorf("the pool's curve begins with %d moments", n)
	}
	if ordered := js[bool](p, "total.at.every((t, i) => !i || t > total.at[i - 1])"); !ordered {
		t.Error("time goes back")
	}
	if gaps := js[int](p, "total.hits.slice(1).filter(n => n === null).length"); gaps > 0 {
		t.Errorf("the curve of hits has %d gaps", gaps)
	}
	until(p, "document.getElementById('begins').textContent.startsWith('Curves show up to the last 5 min')", true)
	n := 0
	for _, r := range s.asked()[before:] {
		if strings.HasSuffix(r, "format=history") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the history was asked for %d times", n)
	}
	runtime.KeepAlive(pool)
}

// TestLevel has the page name the level of checks, and say why nothing is reused.
func TestLevel(t *testing.T) {
	defer basincheck.Set(basincheck.Settings{})
	pool := used("pool", 1, 100)
	p := open(t, serve(t, nil).page())
	p.live()
	says := "document.getElementById('checks')"
	until(p, says+".hidden", true)
	for _, tt := range []struct {
		level basincheck.Level
		want  string
	}{
		{basincheck.Full, "Checks are on, at level full: each request gets new memory, so the hit rate is 0 %."},
		{basincheck.Sampled, "Checks are on, at level sampled: tracked requests get new memory, and count as misses."},
	} {
		basincheck.Set(basincheck.Settings{Level: tt.level, Handler: func(*basincheck.Report) {}})
		until(p, "!"+says+".hidden && "+says+".textContent.startsWith("+quote(tt.want)+")", true)
		until(p, "document.getElementById('level').textContent.startsWith('Checks are at level "+tt.level.String()+"')", true)
	}
	runtime.KeepAlive(pool)
}

// TestSameMoment has all cards show figures of one moment.
func TestSameMoment(t *testing.T) {
	pool := used("pool", 1, 100)
	gets := uint64(0)
	at := time.Now()
	p := open(t, serve(t, func(r *basinhttp.Report) {
		gets++
		at = at.Add(time.Second)
		r.Time = at
		for i := range r.Pools {
			s := &r.Pools[i]
			s.Gets, s.Hits, s.Misses = gets*gets*1000, gets*gets*1000, 0
			s.Bytes.InUse = int64(gets) << 20
		}
	}).page())
	p.live()
	// A mean of the last seconds would lag behind the memory in use.
	until(p, "(() => { const n = parseFloat("+card("#all", "In use")+".querySelector('.figure').textContent);"+
		"return n > 3 && "+card("#all", "Gets per second")+".querySelector('.figure span').textContent === count((2 * n - 1) * 1000); })()", true)
	until(p, "document.title.startsWith('Pools of ')", true)
	until(p, "document.querySelector('h1').textContent.startsWith('Poolsof ')", true)
	runtime.KeepAlive(pool)
}
