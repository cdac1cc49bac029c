//go:build go1.25

package metamorphic

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
)

// slots is the most objects of each kind that a goroutine holds.
const slots = 5

// A worker is a goroutine of a program, with the objects that it holds.
type worker struct {
	*run
	g       int
	op      op // current operation
	slices  [slots]slice
	buffers [slots]buffer
	std     [slots]stdBuffer
	fixed   [slots]fixedBuffer
	values  [slots]held
	shared  [slots]sharedRef

	reservations [slots]*basin.Reservation
	scopes       [slots]*opened
	ended        [slots]scope // the last one of each slot
}

type (
	slice struct {
		b    []byte
		pool int
		seed int // of the content of the whole array

		vague bool // its capacity depends on the configuration
	}
	buffer struct {
		b    *basin.Buffer
		pool int // plain if it is not from a pool
		of   int // the byte pool that it grows through
		want bytes.Buffer
	}
	stdBuffer struct {
		b    *bytes.Buffer
		pool int
		want []byte
	}
	fixedBuffer struct {
		b    []byte
		pool int
		seed int
	}
	held struct {
		v    value
		pool int
		seed int
	}
	sharedRef struct {
		s    *basin.Shared
		want []byte
	}
)

const plain = -1

// An account has a program's own counts for a pool.
type account struct {
	gets, puts    atomic.Int64
	asked, handed atomic.Int64
	lost          atomic.Int64 // own slices that are never put
	lostBytes     atomic.Int64
	oversize      atomic.Int64

	empty, small, large, foreign, misaligned atomic.Int64 // drops
	adopted                                  atomic.Int64
	either                                   atomic.Int64 // adopted or dropped, depending on checks and addresses

	inexact atomic.Bool // some uses of the pool are not counted here: as many Gets as Puts
}

// A run is the execution of a program with a configuration.
type run struct {
	*world
	p       *program
	c       *config
	workers []*worker

	level, procs  int // index of the configuration's next one
	bytesAccounts []*account
	bufferGets    []atomic.Int64
	stdGets       []atomic.Int64
	fixedGets     []atomic.Int64
	valueGets     []atomic.Int64
	families      []*family // guarded by saying
	saying        sync.Mutex
	statements    []string // Go statements of each operation; guarded by saying
	results       []string // and their results

	forgot  atomic.Int64 // dropped objects, which full checks report as leaks
	reports struct {
		sync.Mutex
		misuse []string // without leaks, and without intended misuse
		kinds  map[basincheck.Kind]int
	}
	failed  atomic.Bool
	failure struct {
		sync.Mutex
		at  int // index of the operation, or main
		err string
	}
}

// An outcome has the visible results of a run.
type outcome struct {
	err     string // failure of a check that holds in any configuration
	at      int    // the operation that failed, or main for the end
	ops     map[int]string
	text    map[int]string // the operations as statements
	last    string         // statements at the end, which put everything back
	figures map[string]string
}

// differs returns the differences between two outcomes, or "".
func (o *outcome) differs(other *outcome) string {
	var all []string
	for i, a := range o.ops {
		if b := other.ops[i]; a != b {
			all = append(all, fmt.Sprintf("operation %d, %s: %s, but %s", i, strings.ReplaceAll(other.text[i], "\n", "; "), a, b))
		}
	}
	for k, a := range o.figures {
		if b, ok := other.figures[k]; ok && a != b {
			all = append(all, fmt.Sprintf("%s: %s, but %s", k, a, b))
		}
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// noise is the content of arrays, each from a different offset.
var noise = func() []byte {
	b := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return b
}()

// pattern returns n bytes that differ for each seed.
func pattern(seed, n int) []byte {
	at := seed * 131 % (len(noise) / 2)
	return noise[at : at+n : at+n]
}

// text returns n bytes, mostly runes.
func text(seed, n int) []byte {
	b := []byte(strings.Repeat("grüße, 世界\n", n/15+1))[:n]
	if n > 0 {
		b[seed%n] = byte(seed)
	}
	return b
}

func sum(b []byte) string { return fmt.Sprintf("%d bytes, %08x", len(b), crc32.ChecksumIEEE(b)) }

// patience is the time after which a program counts as hanging.
var patience = 60 * time.Second

// runWith runs the program on a world that change has modified, and returns the outcome.
func (p *program) runWith(c *config, change func(*world)) *outcome {
	done := make(chan *outcome, 1)
	r := &run{p: p, c: c}
	go func() { done <- r.run(change) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case o := <-done:
		return o
	case <-timer.C:
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return &outcome{err: fmt.Sprintf("hangs:\n%s", stacks), at: main, text: r.said()}
	}
}

func (r *run) said() map[int]string {
	r.saying.Lock()
	defer r.saying.Unlock()
	text := make(map[int]string)
	for _, o := range r.p.ops {
		text[o.index] = r.statements[o.index]
	}
	return text
}

func (r *run) run(change func(*world)) *outcome {
	p, c := r.p, r.c
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.procs[0]))
	gogc := 100
	if c.gogc != 0 {
		gogc = c.gogc
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gogc))
	defer basincheck.Set(basincheck.Now())
	r.reports.kinds = make(map[basincheck.Kind]int)
	r.setLevel(0)
	r.level, r.procs = 1, 1

	size := 0
	for _, o := range p.ops {
		size = max(size, o.index+1)
	}
	r.statements, r.results = make([]string, size), make([]string, size)
	r.world = newWorld(p, c)
	if change != nil {
		change(r.world)
	}
	for range r.bytes {
		r.bytesAccounts = append(r.bytesAccounts, new(account))
	}
	r.bufferGets = make([]atomic.Int64, len(r.buffers))
	r.stdGets = make([]atomic.Int64, len(r.std))
	r.fixedGets = make([]atomic.Int64, len(r.world.fixed))
	r.valueGets = make([]atomic.Int64, len(r.world.values))
	for g := range p.goroutines {
		r.workers = append(r.workers, &worker{run: r, g: g})
	}
	r.failure.at = main
	endSwitching := r.switchBeside()

	for at := 0; at < len(p.ops) && !r.failed.Load(); {
		if p.ops[at].g == main {
			r.workers[0].step(p.ops[at])
			at++
			continue
		}
		end := at
		for end < len(p.ops) && p.ops[end].g != main {
			end++
		}
		r.together(p.ops[at:end])
		at = end
	}
	endSwitching()
	o := &outcome{ops: make(map[int]string), text: r.said(), figures: make(map[string]string)}
	if !r.failed.Load() {
		r.end(o.figures)
	}
	basin.SetDefault(nil)
	for _, op := range p.ops {
		o.ops[op.index] = r.results[op.index]
	}
	if len(r.statements) > size {
		o.last = r.statements[size]
	}
	r.failure.Lock()
	o.err, o.at = r.failure.err, r.failure.at
	r.failure.Unlock()
	return o
}

// together runs operations, each on its goroutine.
func (r *run) together(ops []op) {
	if r.c.serial || r.p.goroutines == 1 {
		for _, o := range ops {
			r.workers[o.g].step(o)
		}
		return
	}
	var wg sync.WaitGroup
	for _, w := range r.workers {
		wg.Go(func() {
			for _, o := range ops {
				if o.g == w.g {
					w.step(o)
				}
			}
		})
	}
	wg.Wait()
}

// step runs one operation.
func (w *worker) step(o op) {
	if w.failed.Load() {
		return
	}
	w.op = o
	defer func() {
		if x := recover(); x != nil {
			w.fail("panics: %v\n%s", x, debug.Stack())
		}
	}()
	w.results[o.index] = o.kind.run(w, o)
}

// say notes the action of the current operation, as Go.
func (w *worker) say(format string, args ...any) {
	w.saying.Lock()
	defer w.saying.Unlock()
	s := &w.statements[w.op.index]
	if *s != "" {
		*s += "\n"
	}
	*s += fmt.Sprintf(format, args...)
}

// fail notes that the current operation has failed.
func (w *worker) fail(format string, args ...any) {
	w.run.failAt(w.op.index, format, args...)
}

func (r *run) failAt(at int, format string, args ...any) {
	r.failure.Lock()
	defer r.failure.Unlock()
	if r.failure.err == "" {
		r.failure.err, r.failure.at = fmt.Sprintf(format, args...), at
	}
	r.failed.Store(true)
}

// setLevel sets the i-th level of checking of the configuration.
func (r *run) setLevel(i int) {
	k := levelOf(r.c, i)
	if k.Level != basincheck.Off {
		k.Handler = r.handle
	}
	basincheck.Set(k)
}

// switchBeside switches to the next level all the time, if the configuration wants that. The result ends that.
func (r *run) switchBeside() (end func()) {
	if !r.c.beside {
		return func() {}
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 1; !stop.Load(); i++ {
			r.setLevel(i)
			time.Sleep(50 * time.Microsecond)
		}
	})
	return func() {
		stop.Store(true)
		wg.Wait()
	}
}

// handle receives reports of misuse.
func (r *run) handle(m *basincheck.Report) {
	r.reports.Lock()
	defer r.reports.Unlock()
	r.reports.kinds[m.Kind]++
	switch {
	case m.Kind == basincheck.Leak && (r.forgot.Load() > 0 || r.failed.Load()):
	case r.p.hostile && m.Kind != basincheck.WriteAfterPut && m.Kind != basincheck.Leak:
	default:
		r.reports.misuse = append(r.reports.misuse, m.Error())
	}
}

// account returns the account of a byte pool.
func (r *run) account(pool int) *account { return r.bytesAccounts[pool] }

// own reports whether a byte pool keeps slices of a capacity, as far as programs know.
func (r *run) own(pool, capacity int) bool {
	return capacity >= r.specs[pool].minSize && capacity <= r.specs[pool].maxSize && capacity%64 == 0
}

// got notes that a byte pool has returned b for n bytes.
func (w *worker) got(pool, n int, b []byte) {
	if n <= 0 {
		if cap(b) != 0 {
			w.fail("a request for %d bytes has a capacity of %d", n, cap(b))
		}
		return
	}
	a := w.account(pool)
	a.gets.Add(1)
	a.asked.Add(int64(n))
	if cap(b) < n {
		w.fail("a request for %d bytes has a capacity of %d", n, cap(b))
	}
	if w.own(pool, cap(b)) {
		a.handed.Add(int64(cap(b)))
	} else {
		a.handed.Add(int64(n))
		a.oversize.Add(1)
	}
}

// giving notes that a slice is put.
func (w *worker) giving(pool int, b []byte) {
	a, s := w.account(pool), w.specs[pool]
	switch {
	case w.own(pool, cap(b)):
		a.puts.Add(1)
	case cap(b) == 0:
		a.empty.Add(1)
	case cap(b) > s.maxSize:
		a.large.Add(1)
	case cap(b) < s.minSize:
		a.small.Add(1)
	case s.adopts:
		a.either.Add(1)
	default:
		a.foreign.Add(1)
	}
}

// capacity returns the comparable part of a slice's capacity, in words.
func (w *worker) capacity(pool int, b []byte) string {
	if !w.own(pool, cap(b)) {
		return "own array" // ceilings round the capacity up, or make it odd
	}
	if w.vague(pool) {
		return "of the pool"
	}
	return fmt.Sprint(cap(b))
}

// vague reports whether the capacities of a pool's slices depend on the configuration. Those of
// the default pool depend on its idle slices.
func (w *worker) vague(pool int) bool { return w.p.fits || pool == 0 }

// hold fills the array of b and keeps b in a free slot.
func (w *worker) hold(k, pool int, b []byte) {
	if w.c.zero && pool > 0 {
		if rest := b[len(b):cap(b)]; len(bytes.Trim(rest, "\x00")) > 0 {
			w.fail("a slice of a pool that clears them is not zero beyond its length")
		}
	}
	w.slices[k] = slice{b: b, pool: pool, seed: w.op.index, vague: w.vague(pool)}
	if w.failed.Load() {
		return
	}
	w.say("fill(s[%d][%d], %d)", w.g, k, w.op.index)
	copy(b[:cap(b)], pattern(w.op.index, cap(b)))
}

// whole checks that nobody else has written to the slice in slot k.
func (w *worker) whole(k int) []byte {
	s := &w.slices[k]
	b := s.b[:cap(s.b)]
	if want := pattern(s.seed, len(b)); !bytes.Equal(b, want) {
		at := 0
		for b[at] == want[at] {
			at++
		}
		w.fail("the slice s[%d][%d], of capacity %d, has been written to by others, from byte %d on: %x, want %x",
			w.g, k, len(b), at, b[at:min(at+16, len(b))], want[at:min(at+16, len(b))])
	}
	return s.b
}

// free puts the object in slot k, and reports whether there was one.
func (w *worker) free(k int) bool {
	s := &w.slices[k]
	if s.b == nil {
		return false
	}
	b := w.whole(k)
	w.say("verify(s[%d][%d], %d)", w.g, k, s.seed)
	w.say("p[%d].Put(s[%d][%d])", s.pool, w.g, k)
	w.giving(s.pool, b)
	s.b = nil
	w.bytes[s.pool].Put(b)
	return true
}

func (w *worker) freeBuffer(k int) bool {
	b := &w.buffers[k]
	if b.b == nil {
		return false
	}
	w.sameBuffer(k)
	h, pool := b.b, b.pool
	*b = buffer{}
	if pool == plain {
		w.say("b[%d][%d].Free()", w.g, k)
		h.Free()
		return true
	}
	w.say("bp[%d].Put(b[%d][%d])", pool, w.g, k)
	w.world.buffers[pool].Put(h)
	return true
}

// sameBuffer checks the contents of a Buffer.
func (w *worker) sameBuffer(k int) {
	b := &w.buffers[k]
	if got, want := b.b.Bytes(), b.want.Bytes(); !bytes.Equal(got, want) {
		w.fail("the Buffer b[%d][%d] has %s, want %s", w.g, k, sum(got), sum(want))
	}
}

func (w *worker) freeStd(k int) bool {
	b := &w.std[k]
	if b.b == nil {
		return false
	}
	if !bytes.Equal(b.b.Bytes(), b.want) {
		w.fail("the bytes.Buffer sb[%d][%d] has %s, want %s", w.g, k, sum(b.b.Bytes()), sum(b.want))
	}
	h, pool := b.b, b.pool
	*b = stdBuffer{}
	w.say("sp[%d].Put(sb[%d][%d])", pool, w.g, k)
	w.world.std[pool].Put(h)
	return true
}

func (w *worker) freeFixed(k int) bool {
	f := &w.fixed[k]
	if f.b == nil {
		return false
	}
	b, pool := f.b, f.pool
	if !bytes.Equal(b, pattern(f.seed, len(b))) {
		w.fail("the fixed buffer f[%d][%d] has been written to by others", w.g, k)
	}
	*f = fixedBuffer{}
	w.say("fp[%d].Put(f[%d][%d])", pool, w.g, k)
	w.world.fixed[pool].Put(b)
	return true
}

func (w *worker) freeValue(k int) bool {
	h := &w.values[k]
	if h.v == nil {
		return false
	}
	if !h.v.marked(h.seed) {
		w.fail("the value v[%d][%d] has been changed by others: %v", w.g, k, h.v)
	}
	v, pool := h.v, h.pool
	*h = held{}
	w.say("vp[%d].put(v[%d][%d])", pool, w.g, k)
	w.world.values[pool].put(v)
	return true
}

func (w *worker) freeShared(k int) bool {
	s := &w.shared[k]
	if s.s == nil {
		return false
	}
	if got := s.s.Bytes(); !bytes.Equal(got, s.want) {
		w.fail("the Shared sh[%d][%d] has %s, want %s", w.g, k, sum(got), sum(s.want))
	}
	h := s.s
	*s = sharedRef{}
	w.say("sh[%d][%d].Release()", w.g, k)
	h.Release()
	return true
}

// end puts everything back, and compares the accounts.
func (r *run) end(figures map[string]string) {
	last := &worker{run: r}
	last.op.index = main
	defer func() {
		if x := recover(); x != nil {
			r.failAt(main, "panics at the end: %v\n%s", x, debug.Stack())
		}
	}()
	for _, w := range r.workers {
		w.op = op{index: len(r.statements)}
	}
	r.statements = append(r.statements, "")
	for _, w := range r.workers {
		for k := range slots {
			w.free(k)
			w.freeBuffer(k)
			w.freeStd(k)
			w.freeFixed(k)
			w.freeValue(k)
			w.freeShared(k)
			w.freeReservation(k)
			w.freeScope(k)
		}
	}
	if r.failed.Load() {
		return
	}
	basincheck.Verify()
	if r.c.checked() && r.c.gogc == 1 {
		runtime.GC()
		runtime.GC()
	}
	r.compareCounts(figures)
	r.reports.Lock()
	defer r.reports.Unlock()
	if len(r.reports.misuse) > 0 {
		r.failAt(main, "%d unexpected reports of misuse, the first: %s", len(r.reports.misuse), r.reports.misuse[0])
	}
}

// compareCounts compares the counts of pools with those of the program, and notes the figures that must
// be the same in every configuration.
func (r *run) compareCounts(figures map[string]string) {
	same := func(pool, what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.failAt(main, "%s: %s is %v in the end, want %v", strings.TrimPrefix(pool, r.name), what, got, want)
		}
	}
	basin.SetDefault(nil)
	r.compareLimits(same)
	r.compareScopes(same)
	for i, p := range r.bytes {
		a := r.account(i)
		s := p.Stats()
		name := fmt.Sprintf("p[%d]", i)
		if i == 0 {
			r.compareDefaults(a)
			continue
		}
		same(name, "Gets", s.Gets, s.Hits+s.Misses+s.Outside)
		same(name, "Drops", s.Drops.Total(), sumDrops(s.Drops))
		// A slice comes back once.
		same(name, "gets that were not put", int64(s.Gets-s.Outside)-int64(s.Puts), a.lost.Load())
		same(name, "Bytes.InUse and lost", s.Bytes.InUse+s.Lost.Bytes, a.lostBytes.Load())
		// Nothing is put twice, or begins at an address where no slice of the pool can.
		same(name, "Drops.Double", s.Drops.Double, 0)
		if empty := uint64(a.empty.Load()); !a.inexact.Load() || s.Drops.Empty < empty { // an empty Shared of a Buffer is one
			same(name, "Drops.Empty", s.Drops.Empty, empty)
		}
		// ReadAll puts slices that are not the pool's own.
		known := !a.inexact.Load() || !r.specs[i].adopts
		exact := known && a.either.Load() == 0
		switch other := s.Adopted + s.Drops.Misaligned + s.Drops.Foreign; {
		case exact:
			same(name, "Adopted", s.Adopted, a.adopted.Load())
			same(name, "Drops.Misaligned", s.Drops.Misaligned, a.misaligned.Load())
		case !a.inexact.Load():
			same(name, "Adopted and dropped", other, a.adopted.Load()+a.misaligned.Load()+a.foreign.Load()+a.either.Load())
		}
		if !a.inexact.Load() {
			same(name, "Gets", s.Gets, a.gets.Load())
			same(name, "Puts", s.Puts, a.puts.Load())
			same(name, "Outside", s.Outside, a.oversize.Load())
			same(name, "AskedBytes", s.AskedBytes, a.asked.Load())
			same(name, "HandedOutBytes", s.HandedOutBytes, a.handed.Load())
			same(name, "Drops.Small", s.Drops.Small, a.small.Load()) // ReadAll may put other slices, too
			same(name, "Drops.Large", s.Drops.Large, a.large.Load())
			same(name, "Drops.Extra", s.Drops.Extra, 0)
			if exact {
				same(name, "Drops.Foreign", s.Drops.Foreign, a.foreign.Load())
			}
		}
		if s.Bytes.Idle > s.Bytes.MaxIdle || s.Bytes.Idle < 0 {
			r.failAt(main, "%s: Bytes.Idle is %d, of at most %d", name, s.Bytes.Idle, s.Bytes.MaxIdle)
		}
		if s.Beyond == 0 && s.Bytes.MaxInUse > 0 && s.PeakInUse.Bytes > s.Bytes.MaxInUse {
			r.failAt(main, "%s: %d bytes were in use, of at most %d, and no request went beyond", name, s.PeakInUse.Bytes, s.Bytes.MaxInUse)
		}
		held := uint64(0)
		for _, c := range s.Classes {
			held += uint64(c.Bytes.Idle / int64(c.Size))
		}
		same(name, "slices idle, dropped and trimmed, and hits", held+s.Drops.Full+s.Drops.Checked+s.Trimmed+s.Hits >= s.Puts+s.Adopted, true)
		// Hits, Misses, Idle, Full and Trimmed depend on MaxIdle, the collector and the
		// schedule; Misuse depends on checks.
		if r.p.goroutines == 1 && !r.p.fits || !a.inexact.Load() { // ReadAll learns in the order of its calls
			figures[name+".Gets"] = fmt.Sprint(s.Gets)
			figures[name+".Puts"] = fmt.Sprint(s.Puts)
			figures[name+".Outside"] = fmt.Sprint(s.Outside)
			figures[name+".AskedBytes"] = fmt.Sprint(s.AskedBytes)
			figures[name+".Drops"] = fmt.Sprint(s.Drops.Empty, s.Drops.Small, s.Drops.Large, s.Drops.Extra)
			if exact {
				figures[name+".Adopted"] = fmt.Sprint(s.Adopted, s.Drops.Foreign, s.Drops.Misaligned)
			}
			if r.p.tight { // without a ceiling these are not counted
				figures[name+".Waits"] = fmt.Sprint(s.Waiting, s.Waited, s.Refused, s.Beyond)
			}
			if r.p.fits { // another size may have served
				continue
			}
			figures[name+".HandedOutBytes"] = fmt.Sprint(s.HandedOutBytes)
			for _, c := range s.Classes {
				figures[fmt.Sprintf("%s.Classes[%d]", name, c.Size)] = fmt.Sprint(c.Gets, c.Puts, c.AskedBytes, c.HandedOutBytes, c.Items.InUse+int64(c.Lost))
			}
		}
	}
	for i, p := range r.world.buffers[1:] {
		s, name := p.Stats(), fmt.Sprintf("bp[%d]", i+1)
		same(name, "Gets", s.Gets, r.bufferGets[i+1].Load())
		same(name, "Puts", s.Puts, s.Gets)
		same(name, "Bytes.InUse", s.Bytes.InUse, 0)
		same(name, "Drops", s.Drops.Total(), s.Drops.Full+s.Drops.Checked)
		if s.Bytes.Idle > s.Bytes.MaxIdle {
			r.failAt(main, "%s: Bytes.Idle is %d, of at most %d", name, s.Bytes.Idle, s.Bytes.MaxIdle)
		}
	}
	for i, p := range r.world.std {
		s, name := p.Stats(), fmt.Sprintf("sp[%d]", i)
		same(name, "Gets", s.Gets, r.stdGets[i].Load())
		same(name, "Puts", s.Puts, s.Gets)
		if s.Bytes.Idle > s.Bytes.MaxIdle {
			r.failAt(main, "%s: Bytes.Idle is %d, of at most %d", name, s.Bytes.Idle, s.Bytes.MaxIdle)
		}
	}
	for i, p := range r.world.fixed {
		s, name := p.Stats(), fmt.Sprintf("fp[%d]", i)
		same(name, "Gets", s.Gets, r.fixedGets[i].Load())
		same(name, "Idle", s.Items.Idle, r.world.fixedCount)
		same(name, "InUse", s.Items.InUse, 0)
		same(name, "Puts", s.Puts, s.Hits)
		figures[name] = fmt.Sprint(s.Gets, s.Hits, s.Misses, s.Puts, s.Drops, s.Refused, s.Waited)
	}
	for i, p := range r.world.values {
		s, name := p.stats(), fmt.Sprintf("vp[%d]", i)
		same(name, "Gets", s.Gets, r.valueGets[i].Load())
		same(name, "Gets", s.Gets, s.Hits+s.Misses)
		same(name, "Puts", s.Puts, s.Gets)
		same(name, "InUse", s.Items.InUse, 0)
		sized := p.sizes()
		if sized == nil {
			if s.Items.Idle > s.Items.MaxIdle || s.Items.Idle < 0 {
				r.failAt(main, "%s: Idle is %d, of at most %d", name, s.Items.Idle, s.Items.MaxIdle)
			}
			continue
		}
		if s.Bytes.Idle > s.Bytes.MaxIdle || s.Bytes.Idle < 0 {
			r.failAt(main, "%s: Bytes.Idle is %d, of at most %d", name, s.Bytes.Idle, s.Bytes.MaxIdle)
		}
		same(name, "Size, as often as it was asked", sized.asked.Load(), s.Puts)
		if r.c.checked() { // checked values are new, and not kept
			continue
		}
		same(name, "New, as often as it was called", sized.made.Load(), s.Misses)
		same(name, "Drops.Empty", s.Drops.Empty, sized.empty.Load())
		figures[name+".Drops.Empty"] = fmt.Sprint(s.Drops.Empty)
		if !sized.learns {
			same(name, "Drops.Large", s.Drops.Large, sized.giant.Load())
			same(name, "Drops.Small", s.Drops.Small, 0)
			figures[name+".Drops.Large"] = fmt.Sprint(s.Drops.Large)
		}
	}
	r.listed(func(name string, n int) {
		if n > 1 {
			r.failAt(main, "basinexport.Append has %d of the pool %s", n, name)
		}
	})
}

// compareLimits compares the limit, within which the second half of the pools lie, with what programs have lost.
func (r *run) compareLimits(same func(pool, what string, got, want any)) {
	if !r.limited() {
		return
	}
	lost := int64(0)
	for i, p := range r.real {
		if p.Limit != nil {
			lost += r.account(i).lostBytes.Load()
		}
	}
	s := r.limit.Stats()
	same("limit", "Reserved", s.Reserved, 0)
	same("limit", "Waiting", s.Waiting, 0)
	if s.Bytes.InUse > lost || lost == 0 && s.Bytes.InUse != 0 {
		r.failAt(main, "limit: %d bytes are in use at the end, want at most %d", s.Bytes.InUse, lost)
	}
}

// compareDefaults is compareCounts for all pools that were the default pool at some time. A slice of one
// of them may have been put into another. If that one has a ceiling, the slice is foreign
// there.
func (r *run) compareDefaults(a *account) {
	was, now, other := r.before, builtin.Stats(), r.other.Stats()
	gets := int64(now.Gets - now.Outside - was.Gets + was.Outside + other.Gets - other.Outside)
	puts := int64(now.Puts - was.Puts + other.Puts)
	foreign := int64(0)
	if other.Bytes.MaxInUse > 0 {
		foreign = int64(other.Drops.Foreign + other.Adopted)
	}
	if missing := gets - puts - a.lost.Load(); missing < 0 || missing > foreign {
		r.failAt(main, "the default pools: %d got, %d put in the end, want a difference of %d", gets, puts, a.lost.Load())
	}
	if n := now.Drops.Double + other.Drops.Double - was.Drops.Double; n != 0 {
		r.failAt(main, "the default pools: %d double puts", n)
	}
	if n := now.Drops.Misaligned + other.Drops.Misaligned - was.Drops.Misaligned; n != 0 {
		r.failAt(main, "the default pools: %d misaligned puts", n)
	}
}

// listed calls f with the name of each pool of the world, and how often the list of pools has
// it.
func (r *run) listed(f func(name string, n int)) {
	n := make(map[string]int)
	for _, s := range basinexport.Append(nil) {
		if strings.HasPrefix(s.Name, r.name+".") {
			n[s.Name]++
		}
	}
	for name, n := range n {
		f(name, n)
	}
}

func sumDrops(d basin.Drops) uint64 {
	return d.Empty + d.Small + d.Large + d.Extra + d.Foreign + d.Misaligned + d.Double + d.Full + d.Checked
}
