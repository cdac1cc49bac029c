//go:build go1.25 && basin_sched

package schedules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/proof/sched"
)

const (
	maxItems   = 64 // item 0 does not exist
	maxClasses = 3
	classBits  = 2 // of an index into the table
)

// Owners of an item other than a user.
const (
	pools      = -1 - iota // idle in the engine, or released
	turnedAway             // rejected by the engine
	travelling             // on its way from one user to another
	quarantine             // taken back by a tracker
)

// An op is the current operation of a thread.
type op int

const (
	idling op = iota
	getting
	putting
	trimming
	reading
	other
)

// A world is an engine, with the state of its items as its users know it.
type world struct {
	scenario scenario
	engine   *engine.Engine[int]
	table    *engine.Table[int]
	users    []*user
	mail     []int
	stage    int // the last stage that reach has announced
	log      func(string, ...any)

	items   int // number made so far
	class   [maxItems]uint
	owner   [maxItems]int
	dropped uint64                  // items that the engine has passed to Drop
	back    uint64                  // items whose Put has returned, and that nobody has got since
	touched [maxItems]int           // number of operations at the last Get or Put
	at      [maxItems]time.Duration // time of the last Get or Put
	ops     int
	begun   int // operations that have begun

	count [maxClasses]struct{ hits, misses, puts, adopted, full, double, asked, checked uint64 }

	// Of items that a tracker has handed out: see tracked.go.
	tracker [maxItems]*check.Tracker
	array   [maxItems][]byte

	// State at the last check.
	idle   uint64
	clock  time.Duration
	early  [maxItems]string          // how an item was released too early, if it was released
	window [maxClasses]time.Duration // start of the depot's window
	opened [maxClasses]int           // the same, as a number of operations
	busy   bool                      // a class was busy
	vague  bool                      // the clock advanced during a round, so ages are not exact

	// Rounds, as the checks saw them.
	rounds   uint64 // that have ended
	stops    int    // stops of the world at the end of the last round
	reclaims uint64 // begun by the engine
	after    uint64 // rounds ended when the last one began
	runner   int    // thread of that round
	by       [triggers]int
}

// Triggers of a round.
const (
	byFinalizer = iota
	byCleanup
	byPoll
	byOverdue
	triggers
)

// A user is one thread of a scenario.
type user struct {
	*world
	id     int
	held   []int
	fresh  *check.Tracker // has handed out the item that the user is getting
	doing  op
	latest int                           // number of the user's latest Get or Put
	awake  bool                          // whether the engine was awake when rounds were counted
	seen   [maxClasses]engine.ClassStats // the last statistics read
}

// run runs a scenario to its end.
func (w *world) run(s scenario, strategy sched.Strategy, log func(string, ...any)) (err error) {
	gccycle.Reset()
	*w = world{scenario: s, engine: new(engine.Engine[int]), table: new(engine.Table[int]), users: w.users[:0], mail: w.mail[:0], log: log, by: w.by}
	w.engine.Init(w.table, s.maxIdle, nil, engine.Config[int]{
		Classes:  func() []engine.Class { return s.classes },
		Bits:     classBits,
		IdleTime: s.idleTime,
		Same:     func(a, b int) bool { return a == b },
		Drop:     w.drop,
	})
	engine.Pace(w.engine, cmp.Or(s.pace, 1))
	if s.calms {
		engine.Calm(w.engine)
	}
	program := sched.Program{Procs: s.procs, Check: w.check, MemoryLimit: math.MaxInt64, Blocked: s.blocked}
	if s.limit {
		program.MemoryLimit = 1
	}
	for i, body := range s.threads {
		u := &user{world: w, id: i}
		w.users = append(w.users, u)
		program.Threads = append(program.Threads, func() { body(u) })
	}
	if s.switches {
		defer w.checks()()
	}
	if err := sched.Run(program, strategy); err != nil {
		return err
	}
	return w.quiescent()
}

// drop is the engine's Drop. A Put that is turned away is still under way, so the item counts as
// the pool's.
func (w *world) drop(x int) {
	switch {
	case x <= 0 || x > w.items || w.owner[x] != pools:
		sched.Fail("Drop of item %d, which is %s", x, whose(w.owner[x]))
	case w.dropped>>x&1 != 0:
		sched.Fail("item %d is dropped twice", x)
	}
	w.dropped |= 1 << x
}

// check is called at each switch of threads.
func (w *world) check(ran int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic in check: %v", r)
		}
	}()
	idle, doomed := engine.Items(w.engine)
	size := int64(0)
	for c := range w.scenario.classes {
		size += int64(bits.OnesCount64((idle|doomed)&w.of(c))) * w.scenario.classes[c].Size
	}
	if taken, _ := engine.Taken(w.engine); size > taken || taken > w.scenario.maxIdle {
		return fmt.Errorf("idle: %d; paid for: %d; MaxIdle: %d", size, taken, w.scenario.maxIdle)
	}
	round, err := w.checkRounds(ran)
	if err != nil {
		return err
	}
	if rows, busy := engine.Rows(w.engine); rows > 0 && !w.busy && !busy {
		return fmt.Errorf("%d rows in the table though no class was busy", rows)
	} else {
		w.busy = busy || w.busy
	}
	for c := range w.scenario.classes {
		if at := engine.Window(w.engine, uint(c)); at != w.window[c] {
			w.window[c], w.opened[c] = at, w.ops
		}
	}
	now := sched.Now()
	if now != w.clock && round {
		w.vague = true
	}
	for there := (idle | doomed) &^ w.idle; there != 0; there &= there - 1 {
		w.early[bits.TrailingZeros64(there)] = ""
	}
	// An item that is not found may be moving from one place to another. Only the end shows
	// whether it was released.
	for gone := w.idle &^ idle &^ doomed; gone != 0; gone &= gone - 1 {
		x := bits.TrailingZeros64(gone)
		w.early[x] = ""
		age, window := now-w.at[x], w.scenario.idleTime/4
		switch {
		case w.vague || age >= window:
		case round && ran == w.runner:
			if !w.scenario.limit && !w.scenario.surplus {
				w.early[x] = fmt.Sprintf("by reclaim %v after it was touched, a window is %v", age, window)
			}
		case ran < len(w.users) && w.users[ran].doing == putting && w.touched[x] > w.opened[w.class[x]]:
			w.early[x] = "by a Put though touched since the window began"
		}
	}
	w.idle, w.clock = idle, now
	return nil
}

// checkRounds checks the rounds that began and ended since the last check. It reports whether
// there was one.
func (w *world) checkRounds(ran int) (round bool, err error) {
	ended, under := gccycle.Rounds()
	round = under || ended != w.rounds
	end := func() {
		if ended != w.rounds {
			w.rounds, w.stops = ended, sched.Stops()
		}
	}
	if under { // the other rounds ended before this one
		end()
	}
	if n := engine.Rounds(w.engine); n != w.reclaims {
		before := ended // rounds ended before this one
		if !under {
			before--
		}
		switch {
		case w.reclaims == 0:
		case w.after == before:
			return round, errors.New("a round has begun within another")
		case w.rounds > 0 && w.stops == sched.Stops():
			return round, errors.New("a round has begun without a stop of the world after the one before")
		}
		w.reclaims, w.after, w.runner = n, before, ran
		switch {
		case ran >= len(w.users):
			w.by[ran-len(w.users)]++
		case w.users[ran].doing == putting:
			w.by[byPoll]++
		case w.users[ran].doing == reading:
			w.by[byOverdue]++
		default:
			return round, fmt.Errorf("a round has begun in operation %d", w.users[ran].doing)
		}
	}
	end()
	return round, nil
}

// of returns the set of the items of class c.
func (w *world) of(c int) (set uint64) {
	for x := 1; x <= w.items; x++ {
		if w.class[x] == uint(c) {
			set |= 1 << x
		}
	}
	return set
}

// quiescent checks the state after all threads have ended.
func (w *world) quiescent() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("at the end: panic: %v", r)
		}
	}()
	if err := engine.Quiescent(w.engine); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	idle, _ := engine.Items(w.engine)
	for c := range w.scenario.classes {
		gone, n := uint64(0), w.count[c]
		for x := 1; x <= w.items; x++ {
			if w.class[x] != uint(c) {
				continue
			}
			in := idle>>x&1 != 0
			if gone := !in && (w.owner[x] == pools || w.owner[x] == turnedAway); gone != (w.dropped>>x&1 != 0) {
				return fmt.Errorf("at the end item %d is %s, idle: %t, dropped: %t", x, whose(w.owner[x]), in, !gone)
			}
			switch {
			case in && w.owner[x] != pools:
				return fmt.Errorf("at the end item %d is idle, but %s", x, whose(w.owner[x]))
			case !in && w.owner[x] == pools:
				gone++
				if w.early[x] != "" {
					return fmt.Errorf("item %d was released %s", x, w.early[x])
				}
			}
		}
		want := engine.ClassStats{
			Hits: n.hits, Misses: n.misses, Puts: n.puts, Adopted: n.adopted, Full: n.full, Double: n.double, Asked: n.asked,
			Released: gone, Checked: n.checked, Idle: uint64(bits.OnesCount64(idle & w.of(c))),
		}
		if s := engine.Figures(w.engine, uint(c)); s != want {
			return fmt.Errorf("at the end: statistics of class %d are\n%+v, want\n%+v", c, s, want)
		}
	}
	w.engine.Trim()
	if more := idle &^ w.dropped; more != 0 {
		return fmt.Errorf("not dropped by Trim: %b", more)
	}
	if idle, _ := engine.Items(w.engine); idle != 0 {
		return fmt.Errorf("after Trim these are idle: %b", idle)
	}
	if idle, local := engine.Taken(w.engine); idle != 0 || local != 0 {
		return fmt.Errorf("after Trim the budgets are at %d and %d", idle, local)
	}
	if err := engine.Quiescent(w.engine); err != nil {
		return fmt.Errorf("after Trim: %w", err)
	}
	return nil
}

func whose(owner int) string {
	switch owner {
	case pools:
		return "idle or released"
	case turnedAway:
		return "turned away"
	case travelling:
		return "on its way to another user"
	case quarantine:
		return "in quarantine"
	}
	return fmt.Sprintf("user %d's", owner)
}

// begin and end enclose each operation. Items released in between are attributed to it.
func (u *user) begin(what op, format string, args ...any) {
	u.checkNow()
	u.doing = what
	u.world.begun++
	if u.log != nil {
		u.log("user %d: "+format, append([]any{u.id}, args...)...)
	}
}

func (u *user) end(format string, args ...any) {
	u.checkNow()
	u.doing = idling
	if u.log != nil {
		u.log("user %d:   "+format, append([]any{u.id}, args...)...)
	}
}

func (u *user) checkNow() {
	if err := sched.Aside(func() error { return u.check(u.id) }); err != nil {
		sched.Fail("%v", err)
	}
}

// touch notes a Get or Put of x.
func (u *user) touch(x int) {
	u.ops++
	u.latest = u.ops
	u.early[x] = ""
	u.touched[x], u.at[x] = u.ops, sched.Now()
}

// The fast paths of the pools, step by step. TestFastPaths compares them.

// getFast is the fast path of BytePool.Get.
func (u *user) getFast(c uint, asked int) (x int, class uint, ok bool) {
	i := uint(pin.Pin())<<classBits | c
	if u.table.Has(i) {
		m := u.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			x := m.Pop(top, asked)
			pin.Unpin()
			return x, c, true
		}
	}
	pin.Unpin()
	u.slow(c, func() { x, class, ok = u.getSlow(c, asked) })
	return x, class, ok
}

// putFast is the fast path of BytePool.Put.
func (u *user) putFast(c uint, x int) (v engine.Verdict) {
	i := uint(pin.Pin())<<classBits | c
	if u.table.Has(i) {
		m := u.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) && m.Top(n) != x {
			m.Push(n, x)
			u.unseen(x)
			pin.Unpin()
			return engine.Kept
		}
	}
	pin.Unpin()
	u.slow(c, func() { v = u.putSlow(c, x) })
	return v
}

// getFastValue is the fast path of Pool.Get, which copies values of any size once.
func (u *user) getFastValue() (x int, ok bool) {
	i := uint(pin.Pin()) << classBits
	if u.table.Has(i) {
		m := u.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			slot := m.Slot(top)
			x = *slot
			*slot = 0
			m.Popped()
			pin.Unpin()
			return x, true
		}
	}
	pin.Unpin()
	u.slow(0, func() { x, _, ok = u.engine.Get(0, 0, engine.OwnClass) })
	return x, ok
}

// putFastValue is the fast path of Pool.Put.
func (u *user) putFastValue(x int) (v engine.Verdict) {
	i := uint(pin.Pin()) << classBits
	if u.table.Has(i) {
		m := u.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) {
			*m.Slot(n) = x
			m.Pushed()
			pin.Unpin()
			return engine.Kept
		}
	}
	pin.Unpin()
	u.slow(0, func() { v = u.engine.Put(0, x) })
	return v
}

// get gets an item of class c.
func (u *user) get(c uint) {
	u.begin(getting, "get of class %d", c)
	asked := int(c) + 1
	x, class, ok := u.getFast(c, asked)
	if class != c && (!ok || class < c || class > u.scenario.classes[c].Fit) {
		sched.Fail("user %d asked for class %d and got class %d, %t", u.id, c, class, ok)
	}
	u.got(class, x, ok, asked)
}

// getAny gets an item of any class, or a new one of class c if none is idle.
func (u *user) getAny(c uint) {
	u.begin(getting, "get of any class, rather %d", c)
	asked := int(c) + 1
	var x int
	var ok bool
	u.slow(c, func() { x, _, ok = u.engine.Get(c, asked, engine.AnyClass) })
	if ok && x > 0 && x <= u.items {
		c = u.class[x]
	}
	u.got(c, x, ok, asked)
}

// getValue gets an item as a value.
func (u *user) getValue() {
	u.begin(getting, "get of a value")
	x, ok := u.getFastValue()
	u.got(0, x, ok, 0)
}

// slow takes the slow path. Afterwards the class must have a row for the P, if the thread has
// stayed on that P, the class may have more slots and nobody else was active: a round may take the
// row, or the slots.
func (u *user) slow(c uint, path func()) {
	_, before := sched.Running()
	grants := u.alone() && u.grants(c)
	begun := u.begun
	ended, under := gccycle.Rounds()
	path()
	p, after := sched.Running()
	nowEnded, nowUnder := gccycle.Rounds()
	alone := !under && !nowUnder && ended == nowEnded && u.begun == begun
	if grants && u.grants(c) && !u.scenario.hides && !u.scenario.calms && before == after && alone && !u.table.Has(uint(p)<<classBits|c) {
		sched.Fail("P %d has been through the slow path of a busy class, and has no row", p)
	}
}

func (u *user) grants(c uint) bool {
	return sched.Aside(func() bool { return engine.Grants(u.engine, c) })
}

// alone reports whether no other user is in an operation.
func (u *user) alone() bool {
	for _, other := range u.users {
		if other != u && other.doing != idling {
			return false
		}
	}
	return true
}

// got checks an item after Get.
func (u *user) got(c uint, x int, ok bool, asked int) {
	n := &u.count[c]
	n.asked += uint64(asked)
	if ok {
		n.hits++
		switch {
		case x <= 0 || x > u.items:
			sched.Fail("user %d got item %d, which nobody put", u.id, x)
		case u.class[x] != c:
			sched.Fail("user %d got item %d of class %d, wanted class %d", u.id, x, u.class[x], c)
		case u.owner[x] != pools:
			sched.Fail("user %d got item %d, which is %s", u.id, x, whose(u.owner[x]))
		case u.dropped>>x&1 != 0:
			sched.Fail("user %d got item %d, which was dropped", u.id, x)
		}
	} else {
		n.misses++
		u.items++
		x = u.items
		u.class[x] = c
	}
	u.owner[x] = u.id
	u.back &^= 1 << x
	u.touch(x)
	u.held = append(u.held, x)
	u.track(x)
	u.end("has item %d", x)
}

// put puts the item that the user has held longest.
func (u *user) put() {
	x := u.give(pools)
	c := u.class[x]
	u.begin(putting, "put of item %d", x)
	u.touch(x)
	u.count[c].puts++
	u.stored(x, u.putFast(c, x))
}

// adopt puts an item of class c that did not come from the engine.
func (u *user) adopt(c uint) {
	u.items++
	x := u.items
	u.class[x], u.owner[x] = c, pools
	u.begin(putting, "adopt item %d", x)
	u.touch(x)
	u.count[c].adopted++
	u.stored(x, u.engine.Adopt(c, x))
}

// putValue puts the item that the user has held longest as a value.
func (u *user) putValue() {
	x := u.give(pools)
	u.begin(putting, "put of value %d", x)
	u.touch(x)
	u.count[u.class[x]].puts++
	u.stored(x, u.putFastValue(x))
}

// stored checks the verdict on an item after Put.
func (u *user) stored(x int, v engine.Verdict) {
	n := &u.count[u.class[x]]
	switch v {
	case taken:
		n.checked++
		u.owner[x] = quarantine
	case engine.Kept:
		if u.owner[x] == pools && u.touched[x] == u.latest { // otherwise another user has got it already, and may be putting it
			u.back |= 1 << x
		}
	case engine.Full:
		n.full++
		if u.owner[x] != pools {
			sched.Fail("item %d was turned away, and is %s", x, whose(u.owner[x]))
		}
		u.owner[x] = turnedAway
	default:
		sched.Fail("item %d was put once, and is called a double", x)
	}
	u.end("verdict %d", v)
}

// putAgain puts an idle item a second time. It is only for scenarios in which no other user can
// have got the item.
func (u *user) putAgain(x int) {
	u.begin(other, "put of item %d again", x)
	u.count[u.class[x]].double++
	if v := u.putFast(u.class[x], x); v != engine.Double {
		sched.Fail("item %d was put twice, verdict %d", x, v)
	}
	u.end("found")
}

// give removes the item that the user has held longest.
func (u *user) give(to int) int {
	x := u.held[0]
	u.held = u.held[1:]
	u.owner[x] = to
	return x
}

// send and receive hand an item from one user to another.
func (u *user) send() {
	u.mail = append(u.mail, u.give(travelling))
}

func (u *user) receive() {
	sched.Until(func() bool { return len(u.mail) > 0 })
	x := u.mail[0]
	u.mail = u.mail[1:]
	u.owner[x] = u.id
	u.held = append(u.held, x)
}

// trim trims. Items that were idle before, and were not touched since, must be gone afterwards.
func (u *user) trim() {
	u.begin(trimming, "Trim")
	before, ops := u.back, u.ops
	u.engine.Trim()
	if !u.scenario.trims { // else another Trim may still be releasing some of them
		u.left(before, ops)
	}
	u.end("trimmed")
}

// retrieve takes out the idle items whose numbers have the given remainder modulo 2. Nobody gets them any more.
func (u *user) retrieve(remainder int) {
	u.begin(trimming, "Retrieve")
	for _, r := range u.engine.Retrieve(true, func(_ uint, x int) bool { return x%2 == remainder }) {
		u.drop(r.Item) // nobody may have it, nor get it
	}
	u.end("retrieved")
}

func (u *user) left(before uint64, ops int) {
	rest := sched.Aside(func() uint64 {
		idle, doomed := engine.Items(u.engine)
		return idle | doomed
	})
	for rest &= before; rest != 0; rest &= rest - 1 {
		if x := bits.TrailingZeros64(rest); u.touched[x] <= ops {
			sched.Fail("item %d is idle after Trim", x)
		}
	}
}

// gc collects garbage, which takes the given time.
func (u *user) gc(takes time.Duration) {
	u.begin(other, "GC")
	sched.GC(takes)
	u.end("collected")
}

// round is gc, and waits for all effects of the collection.
func (u *user) round(takes time.Duration) {
	u.gc(takes)
	sched.Until(sched.Collected)
}

// reach announces the next stage to the users that await it.
func (u *user) reach() { u.stage++ }

func (u *user) await(stage int) { sched.Until(func() bool { return u.stage >= stage }) }

// procs sets GOMAXPROCS.
func (u *user) procs(n int) {
	u.begin(other, "GOMAXPROCS(%d)", n)
	sched.GOMAXPROCS(n)
	u.end("set")
}

// hide hides the magazines from the fast path, or shows them.
func (u *user) hide(hidden bool) {
	u.begin(other, "Hide(%v)", hidden)
	u.engine.Hide(hidden)
	u.end("done")
}

// stats reads the statistics of a class.
func (u *user) stats(c uint) {
	u.begin(reading, "Stats(%d)", c)
	s := u.engine.Stats(c)
	u.read(c, s)
	u.end("%+v", s)
}

// allStats reads the statistics of all classes.
func (u *user) allStats() {
	u.begin(reading, "AllStats")
	idle, last := int64(0), -1
	u.engine.AllStats(func(c uint, s engine.ClassStats) {
		if int(c) <= last {
			sched.Fail("AllStats has class %d after %d", c, last)
		}
		last = int(c)
		idle += int64(s.Idle) * u.scenario.classes[c].Size
		u.read(c, s)
	})
	if idle > u.scenario.maxIdle {
		sched.Fail("AllStats: %d idle, MaxIdle is %d", idle, u.scenario.maxIdle)
	}
	u.end("%d idle", idle)
}

// read checks statistics.
func (u *user) read(c uint, s engine.ClassStats) {
	was := &u.seen[c]
	switch {
	case s.Puts > s.Hits+s.Misses:
		sched.Fail("statistics of %d Puts and %d Gets", s.Puts, s.Hits+s.Misses)
	case s.Released+s.Full > s.Puts+s.Adopted || s.Double > 0 && u.count[c].double == 0:
		sched.Fail("statistics make no sense: %+v", s)
	case int64(s.Idle)*u.scenario.classes[c].Size > u.scenario.maxIdle:
		sched.Fail("%d idle, MaxIdle is %d", s.Idle, u.scenario.maxIdle)
	case s.Hits < was.Hits || s.Misses < was.Misses || s.Puts < was.Puts || s.Adopted < was.Adopted || s.Full < was.Full || s.Double < was.Double ||
		s.Released < was.Released || s.Asked < was.Asked:
		sched.Fail("statistics fall, from\n%+v to\n%+v", *was, s)
	}
	*was = s
}

// pass advances the clock.
func (u *user) pass(d time.Duration) {
	u.begin(other, "%v go by", d)
	sched.Advance(d)
	u.end("gone by")
}

// goesOn fails if no round has begun and ended since the given number of rounds. The caller has
// made at least two collections since. An engine with nothing to reclaim needs no rounds.
func (u *user) goesOn(since uint64) {
	wasAwake := u.awake
	if n := u.roundsSoFar(); n == since && wasAwake && u.awake {
		sched.Fail("two collections have begun no round")
	}
}

func (u *user) roundsSoFar() uint64 {
	u.awake = sched.Aside(func() bool { return engine.Awake(u.engine) })
	n, _ := gccycle.Rounds()
	return n
}

// nothingLeft fails if an item is idle, or if there is a magazine.
func (u *user) nothingLeft() {
	idle := sched.Aside(func() uint64 { idle, _ := engine.Items(u.engine); return idle })
	n := sched.Aside(func() int { return engine.Magazines(u.engine) })
	if idle != 0 || n != 0 {
		sched.Fail("nothing should be left: items %b, %d magazines", idle, n)
	}
}
