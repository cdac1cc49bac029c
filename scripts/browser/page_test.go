package browser

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// used returns a pool of the given name, from which n slices of the given size have
// been taken, and put back. They stay, however long the browser takes.
func used(name string, n, size int) *basin.BytePool {
	p := &basin.BytePool{Name: name, IdleTime: time.Hour}
	all := make([][]byte, n)
	for i := range all {
		all[i] = p.Get(size)
	}
	for _, b := range all {
		p.Put(b)
	}
	return p
}

// grouped formats n as the page does.
func grouped[N int64 | uint64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rowsOf returns the number of rows in the table of size classes: one for each class, one for drops
// of no class if there are any, and a sum of several rows.
func rowsOf(s basin.Stats) int {
	n := len(s.Classes)
	if s.Drops.Foreign > 0 {
		n++
	}
	if n > 1 {
		n++
	}
	return n
}

// TestFigures compares the figures of the page with Stats, to the last byte, before and after more
// calls.
func TestFigures(t *testing.T) {
	pool := used("bodies", 3, 1_000_000)
	pool.Put(make([]byte, 77)) //basin:ok a foreign slice, to be counted
	values := &basin.Pool[int]{Name: "values", IdleTime: time.Hour}
	values.Put(7)
	s := serve(t, nil)
	p := open(t, s.page())
	p.live()
	p.open("bodies")
	check := func() {
		t.Helper()
		stats := pool.Stats()
		for what, want := range map[string]string{
			"Gets": grouped(stats.Gets), "Hits": grouped(stats.Hits), "Misses": grouped(stats.Misses), "Puts": grouped(stats.Puts),
			"Bytes in use now": grouped(stats.Bytes.InUse), "Bytes idle now": grouped(stats.Bytes.Idle),
			"Bytes asked for": grouped(stats.AskedBytes), "Bytes handed out": grouped(stats.HandedOutBytes),
			"Drops: foreign": grouped(stats.Drops.Foreign),
		} {
			until(p, fact(what), want)
		}
		until(p, "[...document.querySelectorAll('.detail table')].find(e => e.caption.textContent === 'Size classes').tBodies[0].rows.length", rowsOf(stats))
	}
	check()
	b := pool.Get(1_000_000)
	pool.Put(pool.Get(20_000))
	check() // it updates
	pool.Put(b)
	check()
	until(p, name("values")+".closest('tr').cells[5].textContent.includes('1 item')", true)
	if n := js[int](p, "document.querySelectorAll('canvas').length"); n != 8 { // four of all pools, four of the one that is open
		t.Errorf("%d curves", n)
	}

	// The browser requested only the page, once, and its data.
	for i, r := range s.asked() {
		want := "GET " + basinhttp.Path
		if i > 0 {
			want += "?format=json"
		}
		if r != want {
			t.Errorf("request %d is %s, want %s", i, r, want)
		}
	}
	runtime.KeepAlive(values)
}

// TestComeAndGo: pools, the open one too, appear and disappear while the page is shown.
func TestComeAndGo(t *testing.T) {
	p := open(t, serve(t, nil).page())
	p.live()
	until(p, "document.querySelector('#pools tbody').textContent", "No pool has been used yet.")
	first := used("first", 1, 100)
	until(p, name("first")+" !== undefined", true)
	second := used("second", 5, 100)
	p.open("second")
	until(p, fact("Gets"), "5")
	runtime.KeepAlive(second)
	testenv.CollectUntil(func() bool {
		return !slices.ContainsFunc(basinexport.Append(nil), func(s basin.Stats) bool { return s.Name == "second" })
	})
	until(p, name("second")+" === undefined", true)
	if n := js[int](p, "document.querySelectorAll('.detail').length"); n != 0 {
		t.Error("the details of a pool that is gone are still there")
	}
	third := used("third", 7, 100)
	p.open("third")
	until(p, fact("Gets"), "7")
	if got := p.names(); len(got) != 2 || !slices.Contains(got, "first") {
		t.Errorf("the pools are %q", got)
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(third)
}

// TestSort sorts by each column, and searches by name.
func TestSort(t *testing.T) {
	kept := []*basin.BytePool{used("b", 1, 3000), used("a10", 5, 100), used("a9", 2, 200_000)}
	kept[0].Get(50_000)
	kept[1].Put([]byte{1}) //basin:ok a foreign slice, to be counted
	kept[2].Get(1000)
	p := open(t, serve(t, nil).page())
	p.live()
	for _, tt := range []struct{ column, order, want string }{
		{"name", "ascending", "a9 a10 b"},
		{"name", "descending", "b a10 a9"},
		{"use", "descending", "b a9 a10"},
		{"use", "ascending", "a10 a9 b"},
		{"idle", "descending", "a9 b a10"},
		{"drops", "descending", "a10 b a9"},
	} {
		p.click("th[data-column=" + tt.column + "] button")
		if got := strings.Join(p.names(), " "); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.column, tt.order, got, tt.want)
		}
		got := js[string](p, "[...document.querySelectorAll('th[aria-sort]')].map(e => e.dataset.column + ' ' + e.ariaSort).join()")
		if want := tt.column + " " + tt.order; got != want {
			t.Errorf("sorted by %s, want %s", got, want)
		}
	}
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "A"))
	until(p, "[...document.querySelectorAll('.name')].map(e => e.textContent).join(' ')", "a10 a9")
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "xyz"))
	until(p, "document.querySelector('#pools tbody').textContent", "No pool has this in its name or kind.")
	runtime.KeepAlive(kept)
}

// TestKeyboard uses the page without a mouse.
func TestKeyboard(t *testing.T) {
	kept := []*basin.BytePool{used("one", 1, 100), used("two", 1, 100)}
	p := open(t, serve(t, func(r *basinhttp.Report) { r.Checking = nil }).page()) // findings of other tests would come first
	p.live()
	focus := "document.activeElement.textContent.trim() || document.activeElement.id"
	seen := ""
	for range 20 {
		p.do(chromedp.KeyEvent(kb.Tab))
		at := js[string](p, focus)
		seen += at + ", "
		if at == "Pool" {
			p.do(chromedp.KeyEvent(kb.Enter)) // sorts by name
		}
		if at == "one" {
			break
		}
	}
	if want := "Theme: auto, filter, Pool, Gets/s, Hit rate, In use, Idle, Waiting, Refused, Drops, one, "; !strings.HasSuffix(seen, want) {
		t.Fatalf("tab goes to %s, want %s", seen, want)
	}
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	p.do(chromedp.KeyEvent(kb.Enter))
	until(p, name("two")+".getAttribute('aria-expanded')", "true")
	until(p, fact("Gets"), "1")
	kept[0].Get(100) // more is going on, and the focus stays
	kept[1].Get(100)
	until(p, fact("Gets"), "2")
	if got := js[string](p, focus); got != "two" {
		t.Errorf("the focus has moved to %s", got)
	}
	p.do(chromedp.KeyEvent(" "))
	until(p, "document.querySelectorAll('.detail').length", 0)
	p.do(chromedp.KeyEvent(kb.ArrowUp))
	if got := js[string](p, focus); got != "one" {
		t.Errorf("the focus has moved to %s", got)
	}
	runtime.KeepAlive(kept)
}

// TestTheme goes from the system's preference to light, to dark and back.
func TestTheme(t *testing.T) {
	pool := used("pool", 1, 100)
	p := open(t, serve(t, nil).page())
	p.live()
	const light, dark = "rgb(244, 246, 248)", "rgb(13, 17, 23)"
	background := "getComputedStyle(document.body).backgroundColor"
	for _, system := range []string{"light", "dark"} {
		p.prefer(system)
		auto := map[string]string{"light": light, "dark": dark}[system]
		until(p, background, auto)
		for _, want := range []struct{ label, color string }{{"light", light}, {"dark", dark}, {"auto", auto}} {
			p.click("#theme")
			until(p, "document.getElementById('theme').textContent", "Theme: "+want.label)
			until(p, background, want.color)
		}
	}
	p.click("#theme") // a choice is kept
	p.do(chromedp.Reload())
	p.live()
	until(p, background, light)
	runtime.KeepAlive(pool)
}

// TestServerGone ends the server, and starts it again at the same address.
func TestServerGone(t *testing.T) {
	pool := used("pool", 1, 100)
	start := func(addr string) (*httptest.Server, string) {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: basinhttp.Handler()}}
		s.Start()
		t.Cleanup(s.Close)
		return s, l.Addr().String()
	}
	local := "127.0.0.1:0"
	if runtime.GOOS == "linux" {
		local = "127.0.0.2:0" // no other program listens there and could take the port meanwhile
	}
	s, addr := start(local)
	p := open(t, s.URL, "Failed to load resource: net::ERR_") // from the browser, not from the page
	p.live()
	p.open("pool")
	s.CloseClientConnections()
	s.Close()
	state := "document.getElementById('state').dataset.state"
	until(p, state, "lost")
	if got := js[string](p, "document.getElementById('state').textContent"); !strings.HasPrefix(got, "No answer since ") {
		t.Errorf("it says %q", got)
	}
	if got := p.names(); !slices.Equal(got, []string{"pool"}) {
		t.Errorf("the last figures are of %q", got)
	}
	pool.Get(100)
	start(addr)
	until(p, state, "live")
	until(p, fact("Gets"), "2")
	until(p, "document.body.classList.contains('lost')", false)
}

// TestRestart: when the program restarts, counters begin at zero, and IDs mean other pools.
func TestRestart(t *testing.T) {
	pool := used("pool", 9, 100)
	restarted := make(chan bool, 1)
	p := open(t, serve(t, func(r *basinhttp.Report) {
		select {
		case <-restarted:
			restarted <- true
			r.Started = r.Started.Add(time.Hour)
			for i := range r.Pools {
				s := &r.Pools[i]
				s.Name, s.Gets, s.Hits, s.Misses = "other", 4, 3, 1
			}
		default:
		}
	}).page())
	p.live()
	p.open("pool")
	until(p, fact("Gets"), "9")
	restarted <- true
	until(p, name("other")+" !== undefined", true)
	if got := p.names(); !slices.Equal(got, []string{"other"}) {
		t.Errorf("the pools are %q", got)
	}
	until(p, name("other")+".closest('tr').cells[2].firstChild.nextSibling.textContent", "0") // no negative rates
	runtime.KeepAlive(pool)
}

// TestPaused: a page that is paused or hidden requests nothing.
func TestPaused(t *testing.T) {
	pool := used("pool", 1, 100)
	s := serve(t, nil)
	p := open(t, s.page())
	p.live()
	for _, tt := range []struct{ name, stop, resume string }{
		{"hidden",
			"Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))",
			"delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))"},
		{"paused",
			"document.getElementById('interval').value = '0'; document.getElementById('interval').dispatchEvent(new Event('change'))",
			"document.getElementById('interval').value = '1000'; document.getElementById('interval').dispatchEvent(new Event('change'))"},
	} {
		js[any](p, tt.stop)
		quiet := func() bool { // for longer than the page's interval
			n := len(s.asked())
			time.Sleep(2400 * time.Millisecond)
			return len(s.asked()) == n
		}
		for end := time.Now().Add(patience); !quiet(); { // a request may have been under way or, when hidden, due
			if time.Now().After(end) {
				t.Fatalf("%s: it goes on asking", tt.name)
			}
		}
		pool.Get(100)
		js[any](p, tt.resume)
		stats := pool.Stats()
		until(p, name("pool")+".closest('tr').cells[2].querySelector('.sub').textContent", grouped(stats.Gets)+" in all")
	}
}

// TestTrim trims one pool and all, where the program allows it.
func TestTrim(t *testing.T) {
	one, other := used("one", 4, 1000), used("other", 4, 1000)
	p := open(t, serve(t, nil).page())
	p.live()
	p.open("one")
	if n := js[int](p, "[...document.querySelectorAll('button')].filter(e => !e.hidden && e.textContent.startsWith('Trim')).length"); n != 0 {
		t.Errorf("%d buttons to trim where that is not allowed", n)
	}

	p = open(t, serve(t, nil, basinhttp.AllowTrim()).page())
	p.live()
	p.open("one")
	p.click(".actions button")
	until(p, fact("Bytes idle now"), "0")
	until(p, "document.getElementById('state').textContent", "Trimmed one")
	if one.Stats().Bytes.Idle != 0 || other.Stats().Bytes.Idle == 0 {
		t.Errorf("idle are %d and %d", one.Stats().Bytes.Idle, other.Stats().Bytes.Idle)
	}
	p.click("#trim-all")
	p.click("#no")
	if n := js[int](p, "[...document.querySelectorAll('dialog')].filter(e => e.open).length"); n != 0 || other.Stats().Bytes.Idle == 0 {
		t.Errorf("after no, %d dialogs are open, and idle are %d", n, other.Stats().Bytes.Idle)
	}
	p.click("#trim-all")
	p.click("#yes")
	until(p, "document.getElementById('state').textContent", "Trimmed all pools")
	if n := other.Stats().Bytes.Idle; n != 0 {
		t.Errorf("idle are %d", n)
	}
}

// TestForeignSite: pages of other sites cannot trim, whichever kind of request they send.
func TestForeignSite(t *testing.T) {
	pool := used("pool", 4, 1000)
	s := serve(t, nil, basinhttp.AllowTrim())
	target := s.page() + "?trim=all"
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>evil</title><form method=post action=%q><button>win</button></form><iframe src=%q></iframe>`, target, s.page())
	}))
	defer evil.Close()
	for _, site := range []string{
		evil.URL, // another port of the same host: the same site, another origin
		strings.Replace(evil.URL, "127.0.0.1", "localhost", 1), // another site
	} {
		p := open(t, site, "Content Security Policy", "status of 403", "status of 404", "CORS policy", "net::ERR_FAILED", "ERR_BLOCKED_BY_RESPONSE", "frame-ancestors")
		posts := len(s.asked())
		js[any](p, fmt.Sprintf("fetch(%q, {method: 'POST', mode: 'no-cors'}).catch(() => null).then(() => 0)", target))
		js[any](p, fmt.Sprintf("fetch(%q, {method: 'POST', mode: 'cors'}).catch(() => null).then(() => 0)", target))
		js[bool](p, fmt.Sprintf("navigator.sendBeacon(%q)", target))
		got := js[string](p, fmt.Sprintf("fetch(%q).then(r => r.text(), () => 'kept from it')", s.page()+"?format=json"))
		if got != "kept from it" {
			t.Errorf("%s reads %.40q", site, got)
		}
		p.click("button")
		until(p, "document.body.textContent.trim()", "basin: pools are not trimmed on behalf of another site")
		n := 0
		for _, r := range s.asked()[posts:] {
			if strings.HasPrefix(r, "POST") {
				n++
			}
		}
		if n < 3 {
			t.Errorf("%s: only %d of its requests came", site, n)
		}
		if pool.Stats().Bytes.Idle == 0 {
			t.Errorf("%s has trimmed the pool", site)
		}
	}
}

// TestHostileNames: names of pools that are HTML or script appear as text.
func TestHostileNames(t *testing.T) {
	names := []string{
		`<img src=x onerror="pwned=1"><script>pwned=1</script>`,
		`</script><script>pwned=1</script>`,
		`"quoted" 'name' \ ${pwned=1} &amp;`,
		"one\ntwo\nthree",
		strings.Repeat("ten bytes ", 1024),
		"__proto__",
		"constructor",
		"turned \u202eround and \u200bhidden",
		"isolated \u2066or\u2069 marked \u200f",
		"bell \a and escape \x1b[31m",
	}
	var pools []*basin.BytePool
	for _, n := range names {
		pools = append(pools, used(n, 1, 100))
	}
	p := open(t, serve(t, func(r *basinhttp.Report) {
		r.Program = names[0]
		r.Checking = &basinhttp.Checking{Sites: []basinhttp.Site{{Pool: names[7], Items: 1, Bytes: 64, Line: names[1], Stack: []string{names[1], names[4], names[7]}}}}
	}, basinhttp.AllowTrim()).page())
	p.live()
	for _, n := range names {
		n = strings.NewReplacer("\u202e", `\u202e`, "\u200b", `\u200b`, "\u2066", `\u2066`, "\u2069", `\u2069`, "\u200f", `\u200f`, "\a", `\u0007`, "\x1b", `\u001b`).Replace(n)
		shown := n
		if len(n) > 200 {
			shown = n[:200] + "…"
		}
		p.open(shown)
		full := js[string](p, "document.querySelector('.full-name').textContent")
		if full != n {
			t.Errorf("the full name is %.50q, want %.50q", full, n)
		}
		js[any](p, name(shown)+".click()")
		until(p, "document.querySelectorAll('.detail').length", 0)
	}
	until(p, "document.querySelector('#sites summary').textContent", names[1])
	if js[bool](p, `/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x07\x1b]/.test(document.body.textContent + [...document.querySelectorAll('[title]')].map(e => e.title))`) {
		t.Error("a character that nobody sees is in the document")
	}
	if n := js[int](p, "document.querySelectorAll('img, script').length"); n != 2 {
		t.Errorf("%d scripts and images, want the page's own two", n)
	}
	if js[bool](p, "'pwned' in window") {
		t.Error("a name has run as a script")
	}
	if n := js[int](p, "document.documentElement.scrollWidth"); n > 1280 {
		t.Errorf("the page is %d pixels wide", n)
	}
	runtime.KeepAlive(pools)
}

// TestTroubleFirst: a pool that refuses requests is the first, its trouble has a name, and the header has a link to it.
func TestTroubleFirst(t *testing.T) {
	bounded := &basin.BytePool{Name: "bounded", MaxInUse: 1 << 20}
	bounded.Put(bounded.Get(1))
	calm := make([]*basin.BytePool, 150) // more than the rows that are shown at first
	for i := range calm {
		calm[i] = used(fmt.Sprintf("calm %d", i), 100, 100)
	}
	p := open(t, serve(t, nil).page())
	p.live()
	if js[bool](p, "document.getElementById('troubles').hidden") == false {
		t.Error("a trouble is shown, but there is none")
	}
	if _, ok := bounded.TryGet(2 << 20); ok {
		t.Error("there is room")
	}
	until(p, "document.querySelector('.name').textContent", "bounded")
	until(p, "document.querySelector('.name').parentElement.querySelector('.bad').textContent.trim()", "refusing")
	until(p, "document.getElementById('troubles').textContent", "1 refused in bounded")
	js[any](p, "document.querySelector('#troubles a').click()")
	until(p, name("bounded")+".getAttribute('aria-expanded')", "true")
	runtime.KeepAlive(calm)
}

// TestTroubleOfOne: among many pools, the header names the one with waiting requests, and one with garbage, and says
// how much of the memory in use that is. A FixedPool of which all is in use is no trouble.
func TestTroubleOfOne(t *testing.T) {
	pools := make([]*basin.BytePool, 300)
	for i := range pools {
		pools[i] = used(fmt.Sprintf("tenant %d", i), 100, 100)
	}
	fixed := &basin.FixedPool{Name: "workers", Count: 1, Size: 100}
	held := fixed.Get()
	p := open(t, serve(t, func(r *basinhttp.Report) {
		for i := range r.Pools {
			switch s := &r.Pools[i]; s.Name {
			case "tenant 217":
				s.Waiting, s.Waited, s.Bytes.MaxInUse = 3, 3, 1<<20
			case "tenant 5":
				s.Bytes.InUse = 490 << 20
				r.Garbage, r.GarbageID, r.GarbageBytes = "Of the memory in use, some is garbage.", s.ID, 486<<20
			}
		}
	}).page())
	p.live()
	until(p, "document.getElementById('troubles').textContent", "3 waiting in tenant 217 · 486 MiB garbage in tenant 5")
	until(p, "[...document.querySelectorAll('#pools .name')].slice(0, 2).map(e => e.textContent).join()", "tenant 217,tenant 5")
	until(p, "[...document.querySelectorAll('#pools .sub .bad')].map(e => e.textContent.trim()).filter(e => e).join()", "waiting,garbage")
	if js[bool](p, "document.getElementById('facts').textContent.includes('waiting')") {
		t.Error("a number of waiting requests has no name")
	}
	until(p, card("#all", "In use")+".querySelector('.figure .sub').textContent", "at least 486 MiB garbage")
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "workers"))
	until(p, "document.querySelectorAll('#pools .full').length", 0)
	fixed.Put(held)
	runtime.KeepAlive(pools)
}

// TestLaterFigures: the page shows figures, and reasons of drops, that it knows nothing about.
func TestLaterFigures(t *testing.T) {
	pool := used("later", 3, 100)
	h := basinhttp.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("format") == "" {
			h.ServeHTTP(w, r)
			return
		}
		inner := httptest.NewRecorder()
		h.ServeHTTP(inner, r)
		report := bytes.ReplaceAll(inner.Body.Bytes(), []byte(`"misaligned":0`), []byte(`"misaligned":0,"crooked":12345`))
		w.Write(bytes.ReplaceAll(report, []byte(`"trimmed":`), []byte(`"new_counter":6789,"trimmed":`)))
	}))
	defer s.Close()
	p := open(t, s.URL+basinhttp.Path)
	p.live()
	p.open("later")
	until(p, fact("Drops: crooked"), "12,345")
	until(p, fact("new counter"), "6,789")
	runtime.KeepAlive(pool)
}

// TestThousandPools: the page shows a hundred of a thousand pools, and all on request.
func TestThousandPools(t *testing.T) {
	pools := make([]*basin.BytePool, 1000)
	for i := range pools {
		pools[i] = used(fmt.Sprintf("pool %d", i), 1, 100)
	}
	p := open(t, serve(t, nil).page())
	p.live()
	count := "document.querySelectorAll('#pools tr.pool').length"
	until(p, count, 100)
	until(p, "document.getElementById('facts').textContent.startsWith('1,000 pools')", true)
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "pool 99"))
	until(p, count, 11)
	until(p, "document.getElementById('shown').textContent", "11 of 1,000")
	js[any](p, "document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))")
	p.click("#more")
	until(p, count, 1000)
	p.click("th[data-column=name] button")
	pools[998].Get(100)
	until(p, name("pool 998")+".closest('tr').cells[2].querySelector('.sub').textContent", "2 in all")
	if got := p.names(); got[0] != "pool 0" || got[999] != "pool 999" {
		t.Errorf("from %s to %s", got[0], got[999])
	}
}

// TestChecking: the page shows the figures of checks, and says when checks are off.
func TestChecking(t *testing.T) {
	pool := used("pool", 1, 100)
	p := open(t, serve(t, func(r *basinhttp.Report) { r.Checking = nil }).page())
	p.live()
	until(p, "document.getElementById('checking').hidden && !document.getElementById('unchecked').hidden", true)
	bytes := int64(64)
	p = open(t, serve(t, func(r *basinhttp.Report) {
		r.Checking = &basinhttp.Checking{Level: "sampled", Every: 4, Tracked: 500, Untracked: 20, Bytes: 6 << 20, MaxBytes: 8 << 20, Sites: []basinhttp.Site{
			{Pool: "pool", Items: bytes / 64, Bytes: bytes, Gets: 100, Puts: 90, Leaks: 8, LastPut: []string{"main.done main.go:56"}, Stack: []string{"main.handle main.go:12", "main.main main.go:34"}},
		}}
		bytes += 1024
	}).page())
	p.live()
	until(p, "document.getElementById('checking').hidden", false)
	until(p, "document.getElementById('level').textContent.startsWith('Checks are at level sampled: one in 4 acquisitions is tracked, so these figures are estimates.')", true)
	until(p, "document.getElementById('level').textContent.includes('Checks hold 6 MiB of at most 8 MiB, too little to track 20 acquisitions.')", true)
	until(p, "document.querySelector('#sites tbody tr').cells[7].textContent", "+2 KiB") // two reports later
	p.click("#sites summary")
	until(p, "document.querySelector('#sites tbody tr').cells[7].textContent", "+3 KiB")
	until(p, "document.querySelector('#sites details').open", true) // it stays open
	until(p, "document.querySelector('#sites pre').textContent", "taken:\n  main.handle main.go:12\n  main.main main.go:34\nlast put:\n  main.done main.go:56")
	until(p, "[...document.querySelector('#sites tbody tr').cells].slice(1, 5).map(c => c.textContent).join()", "pool,100,90,8")
	until(p, "document.querySelectorAll('th[data-column=misuse]').length", 1)
	until(p, "document.querySelector('#found tbody').textContent", "Nothing was found.")
	runtime.KeepAlive(pool)
}

// TestCheckedProgram: the page shows the findings of checks in this program.
func TestCheckedProgram(t *testing.T) {
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	pool := &basin.BytePool{Name: "<i>misused</i>"}
	held := pool.Get(100)
	b := pool.Get(1000)
	pool.Put(b)
	pool.Put(b) //basin:ok the page is to show it
	p := open(t, serve(t, nil).page())
	p.live()
	found := "[...document.querySelectorAll('#found tbody tr')].find(r => r.textContent.includes('misused'))" // other tests have left more
	until(p, "[..."+found+".cells].slice(1).map(c => c.textContent).join()", "double Put, 1 KiB,<i>misused</i>,1")
	until(p, found+".querySelector('pre').textContent.match(/TestCheckedProgram/g).length", 3)
	until(p, "[...document.querySelector('#sites tbody tr').cells].slice(1, 7).map(c => c.textContent).join()", "<i>misused</i>,1,0,0,1,128 B")
	runtime.KeepAlive(held)
}

// TestMisuse: the page shows the findings of a pool, by kind.
func TestMisuse(t *testing.T) {
	pool := used("pool", 1, 100)
	p := open(t, serve(t, func(r *basinhttp.Report) {
		for i := range r.Pools {
			if r.Pools[i].Name == "pool" {
				r.Pools[i].Misuse = basincheck.Counts{basincheck.DoublePut: 2, basincheck.Leak: 1}
			}
		}
	}).page())
	p.live()
	until(p, name("pool")+".closest('tr').lastElementChild.querySelector('.bad').textContent", "2")
	until(p, name("pool")+".closest('tr').lastElementChild.previousElementSibling.querySelector('.bad').textContent", "1")
	until(p, "/ 1 leaks · 2 misuse /.test(document.getElementById('facts').textContent)", true)
	p.open("pool")
	until(p, fact("Misuse: double put"), "2")
	until(p, fact("Leaks"), "1")
	until(p, fact("Misuse: foreign put")+" === undefined", true)
	runtime.KeepAlive(pool)
}

// TestLeaksFirst: the findings of checks are at the top of the page, or at its end if there are none.
func TestLeaksFirst(t *testing.T) {
	pool := used("pool", 1, 100)
	found := []basinhttp.Finding{{Kind: "leak", Pool: "pool", Count: 12, Estimated: true, Size: 128, Line: "main.handle main.go:12", Acquired: []string{"main.handle main.go:12"}}}
	begun := false
	var mu sync.Mutex
	p := open(t, serve(t, func(r *basinhttp.Report) {
		mu.Lock()
		defer mu.Unlock()
		r.Checking = &basinhttp.Checking{Level: "sampled", Every: 4}
		if begun {
			r.Checking.Found = found
		}
	}).page())
	p.live()
	until(p, "document.querySelector('main').lastElementChild.id", "checking")
	mu.Lock()
	begun = true
	mu.Unlock()
	until(p, "document.querySelector('main').firstElementChild.id", "checking")
	until(p, "[...document.querySelector('#found tbody tr').cells].map(c => c.textContent.split('\\n')[0]).join('; ')", "main.handle main.go:12taken:; leak, 128 B; pool; ≈ 12")
	until(p, "document.getElementById('checks').textContent.includes('Leaks found: ≈ 1.50 KiB')", true)
	runtime.KeepAlive(pool)
}

// TestInUseUntracked: some items in use were taken before checks, which do not track them.
func TestInUseUntracked(t *testing.T) {
	pool := &basin.BytePool{Name: "held"}
	held := pool.Get(100)
	p := open(t, serve(t, func(r *basinhttp.Report) { r.Checking = &basinhttp.Checking{Level: "sampled", Every: 256} }).page())
	p.live()
	until(p, "document.querySelector('#sites tbody').textContent", "None of the 1 in use is tracked.")
	pool.Put(held)
	until(p, "document.querySelector('#sites tbody').textContent", "Nothing is in use.")
}

// TestOnePool: the cards of a single pool are not shown twice.
func TestOnePool(t *testing.T) {
	pool := used("only", 1, 100)
	p := open(t, serve(t, nil).page())
	p.live()
	p.open("only")
	until(p, "document.querySelectorAll('.card').length", 6)
	other := used("other", 1, 100)
	p = open(t, serve(t, nil).page())
	p.live()
	p.open("only")
	until(p, "document.querySelectorAll('.detail .card').length", 4)
	runtime.KeepAlive(pool)
	runtime.KeepAlive(other)
}

// TestNarrow: everything fits on a telephone, with and without open pools.
func TestNarrow(t *testing.T) {
	long := "github.com/example/service/internal/gateway.(*Handler[github.com/example/service/internal/thing.Value]).ServeHTTP.func1 "
	pools := []any{used("github.com/example/service/internal/gateway/bodies", 1, 100), used(strings.Repeat("x", 300), 1, 1_000_000)}
	p := open(t, serve(t, func(r *basinhttp.Report) {
		stack := []string{long + "/home/somebody/src/service/internal/gateway/handler.go:1234"}
		r.Checking = &basinhttp.Checking{
			Level: "sampled", Every: 256, Tracked: 1 << 40, Untracked: 1 << 40, Bytes: 8 << 20, MaxBytes: 8 << 20,
			Sites: []basinhttp.Site{{Pool: strings.Repeat("x", 300), Items: 1 << 40, Bytes: 1 << 50, Gets: 1 << 60, Puts: 1 << 59, Leaks: 1 << 58, Stack: stack, LastPut: stack}},
			Found: []basinhttp.Finding{{Kind: "use after release", Pool: strings.Repeat("x", 300), Count: 1 << 50, Estimated: true, Size: 1 << 40, Acquired: stack, FirstPut: stack, Here: stack}},
		}
		for i := range r.Pools {
			s := &r.Pools[i]
			s.Waiting, s.Waited, s.Refused, s.LongestWait, s.RecentLongestWait = 1<<30, 1<<60, 1<<60, time.Hour, time.Hour
			r.Pools[i].Misuse = basincheck.Counts{basincheck.DoublePut: 1 << 60, basincheck.Leak: 1 << 60}
			r.Pools[i].Drops = basin.Drops{Full: 1 << 60, Checked: 1 << 60}
			r.Pools[i].Lost = basin.Amount{Items: 1 << 60, Bytes: 1 << 60}
		}
	}, basinhttp.AllowTrim()).page())
	p.live()
	for _, width := range []int64{390, 320} {
		p.do(chromedp.EmulateViewport(width, 844))
		for _, step := range []string{"0", "document.querySelectorAll('details').forEach(e => e.open = true)", "document.querySelectorAll('.name').forEach(e => { if (e.getAttribute('aria-expanded') === 'false') e.click() })", "document.getElementById('trim-all').click()", "document.getElementById('no').click()"} {
			js[any](p, step)
			until(p, "document.documentElement.scrollWidth", int(width))
		}
	}
	runtime.KeepAlive(pools)
}

// TestAccessibility runs axe-core on the page in each of its states.
func TestAccessibility(t *testing.T) {
	pool := used("pool", 4, 1000)
	waiting := &basin.BytePool{Name: "a pool\nwith a ceiling", MaxInUse: 1 << 20}
	waiting.Get(1 << 20)
	script := axe(t)
	p := open(t, serve(t, func(r *basinhttp.Report) {
		r.Checking = &basinhttp.Checking{
			Sites: []basinhttp.Site{{Pool: "pool", Items: 1, Bytes: 64, Stack: []string{"main.main main.go:1"}}},
			Found: []basinhttp.Finding{{Kind: "leak", Pool: "pool", Count: 7, Size: 64, Acquired: []string{"main.main main.go:1"}}},
		}
		for i := range r.Pools {
			if r.Pools[i].Bytes.MaxInUse > 0 {
				r.Pools[i].Waiting, r.Pools[i].Waited = 3, 4
			}
		}
	}, basinhttp.AllowTrim()).page())
	p.live()
	js[any](p, script+"; 0")
	p.open("pool")
	p.open("a pool\nwith a ceiling")
	for _, width := range []int64{1280, 390} {
		p.do(chromedp.EmulateViewport(width, 900))
		for _, scheme := range []string{"light", "dark"} {
			p.prefer(scheme)
			violations := js[[]string](p, `axe.run({resultTypes: ['violations']}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.failureSummary + ' ' + n.html.slice(0, 200))))`)
			for _, v := range violations {
				t.Errorf("%s, %d pixels wide: %s", scheme, width, v)
			}
		}
		if n := js[int64](p, "document.documentElement.scrollWidth"); n > width {
			t.Errorf("%d pixels wide, of %d", n, width)
		}
	}
	if n := js[int](p, "axe.run().then(r => r.passes.length)"); n < 20 {
		t.Errorf("axe has looked at no more than %d things", n)
	}
	runtime.KeepAlive(pool)
	runtime.KeepAlive(waiting)
}

// axe returns the script of axe-core.
func axe(t *testing.T) string {
	path, err := exec.Command("../axe").Output()
	if err != nil {
		t.Fatal("scripts/axe, which fetches axe-core: ", err)
	}
	script, err := os.ReadFile(strings.TrimSpace(string(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
