//go:build go1.25

package check

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

// TestChance: one in every acquisitions is picked, and with one in one, all of them.
func TestChance(t *testing.T) {
	for _, every := range []int{1, 2, 3, 100, 1 << 20} {
		tr := New(every, every == 1, false)
		defer stop(tr)
		if tr.Full() != (every == 1) {
			t.Errorf("one in %d: Full is %t", every, tr.Full())
		}
		picked := uint64(tr.Threshold()) + 1 // of 1<<32 random numbers
		if n := (1<<32 + picked/2) / picked; n != uint64(every) {
			t.Errorf("one in %d: one in %d is picked", every, n)
		}
		if every == 1 {
			for range 1000 {
				if !tr.Chance() {
					t.Fatal("an acquisition is not picked")
				}
			}
		}
	}
	never, first := &book{every: 2}, false
	if first = never.Chance(); first && never.Chance() { // each picks one of 1<<32 numbers
		t.Error("Chance does not respect its threshold")
	}
}

// TestPay: acquisitions are paid for and counted until the budget has too little left. Then others are
// counted, and nothing is taken.
func TestPay(t *testing.T) {
	const records = 5
	tr, o, _ := begin(t, 1, false)
	tr.budget.limit = reservedForPuts + records*(recordCost+maxStackCost) + 1
	for range records {
		if !tr.Pick() {
			t.Error("not paid")
		}
	}
	used := tr.budget.used.Load()
	for range 3 {
		if tr.Pick() {
			t.Error("paid over the limit")
		}
	}
	if u := tr.Usage(); u.Tracked != records || u.Untracked != 3 || tr.budget.used.Load() != used {
		t.Errorf("%+v, and then %d bytes are used, before %d", u, tr.budget.used.Load(), used)
	}
	// All of these have one stack, so most of the payment for stacks is given back.
	var all []*record
	for range records {
		all = append(all, tr.record(o, 64, synthetic(1, 2)))
	}
	if used, want := tr.budget.used.Load(), int64(records*recordCost+siteCost)+costOf(2); used != want {
		t.Errorf("%d bytes are paid for the records, want %d", used, want)
	}
	for _, r := range all {
		tr.exempt(r)
		tr.exempt(r) // must do nothing
		tr.release(r)
	}
	balanced(t, tr)
	if s := tr.Sites(); len(s) != 1 || s[0].Gets != 0 {
		t.Errorf("acquisitions of items that need not be put: %+v", s)
	}
}

// TestJudges: with full checks each item may have a record, otherwise only those whose hash has one.
func TestJudges(t *testing.T) {
	tr, o, _ := begin(t, 1, false)
	x := array(tr, o, 64)
	y := array(tr, o, 64)
	if !Judges(tr, x) || !Judges(tr, y) {
		t.Error("an array with a record is not judged")
	}
	tr.table.remove(tr.table.shard(addr(x)).records[addr(x)])
	if Judges(tr, x) != (hash(addr(x))%filterSize == hash(addr(y))%filterSize) || !Judges(tr, y) {
		t.Error("an array is judged although its record has ended")
	}
	full := New(1, true, false)
	defer stop(full)
	if !Judges(full, x) || !Judges[byte](full, nil) {
		t.Error("full checks do not judge everything")
	}
	tr.Put(o, y, 64)
}

// TestLeakWeight: a leak that a sample finds stands for others.
func TestLeakWeight(t *testing.T) {
	tr, o, told := begin(t, 7, false)
	tr.reportLeak(misuse.Finding{Pool: &o.Pool, Size: 64}, 3)
	if got := told.take(); len(got) != 1 || got[0].Kind != misuse.Leak || got[0].Weight != 21 || o.Counts()[misuse.Leak] != 21 {
		t.Errorf("%+v, %d leaks are counted", got, o.Counts()[misuse.Leak])
	}
}

// TestAccounts: however the record of an item ends, all is given back that it cost.
func TestAccounts(t *testing.T) {
	kind := reflect.TypeFor[*[8]int]()
	care := Care[[8]int]{Poison: func(*[8]int) {}, Damage: func(*[8]int) int { return -1 }}
	object := func(tr *Tracker, o *Owner) *[8]int {
		x := new([8]int)
		tr.Pay()
		Object(tr, o, x, 64)
		return x
	}
	for name, use := range map[string]func(tr *Tracker, o *Owner){
		"put":                func(tr *Tracker, o *Owner) { tr.Put(o, array(tr, o, 64), 64) },
		"put into another":   func(tr *Tracker, o *Owner) { tr.Put(NewOwner("other"), array(tr, o, 64), 64) },
		"put twice":          func(tr *Tracker, o *Owner) { x := array(tr, o, 64); tr.Put(o, x, 64); tr.Put(o, x, 64) },
		"re-sliced":          func(tr *Tracker, o *Owner) { tr.Put(o, array(tr, o, 64), 63) },
		"forgotten":          func(tr *Tracker, o *Owner) { tr.Forget(o, array(tr, o, 64), 64) },
		"adopted":            func(tr *Tracker, o *Owner) { tr.Adopt(o, array(tr, o, 64), 64) },
		"forgotten, adopted": func(tr *Tracker, o *Owner) { x := array(tr, o, 64); tr.Forget(o, x, 64); tr.Adopt(o, x, 64) },
		"adopted in part":    func(tr *Tracker, o *Owner) { tr.Adopt(o, byteAt(array(tr, o, 64), 1), 8) },
		"exempt":             func(tr *Tracker, o *Owner) { tr.Exempt(array(tr, o, 64)) },
		"claimed":            func(tr *Tracker, o *Owner) { tr.Claim(array(tr, o, 64), true) },
		"claimed, exempt":    func(tr *Tracker, o *Owner) { tr.Claim(array(tr, o, 64), false) },
		"lost":               func(tr *Tracker, o *Owner) { array(tr, o, 64) },
		"without guard pages": func(tr *Tracker, o *Owner) {
			tr.Pay()
			tr.Unguarded(o, 64, func(n int) []byte { return make([]byte, n) })
		},
		"object lost": func(tr *Tracker, o *Owner) { object(tr, o) },
		"object put":  func(tr *Tracker, o *Owner) { Release(tr, o, object(tr, o), care) },
		"object put twice": func(tr *Tracker, o *Owner) {
			x := object(tr, o)
			Release(tr, o, x, care)
			Release(tr, o, x, care)
		},
		"counted": func(tr *Tracker, o *Owner) {
			x := new([8]int)
			tr.Pay()
			Counted(tr, o, x, 64)
			Step(tr, x, misuse.Retain)
			Step(tr, x, misuse.Release)
		},
		"value put": func(tr *Tracker, o *Owner) {
			p := value64(tr, o, kind)
			tr.PutValue(o, p, kind, 64)
			tr.PutValue(o, p, kind, 64)
		},
		"value lost": func(tr *Tracker, o *Owner) { value64(tr, o, kind) },
		"value dropped": func(tr *Tracker, o *Owner) {
			p := value64(tr, o, kind)
			tr.GetValue(o, p, kind, 64)
			tr.DropValue(p, kind)
			tr.DropValue(p, kind)
		},
		"value of a global": func(tr *Tracker, o *Owner) { tr.GetValue(o, unsafe.Pointer(&global), kind, 64) },
	} {
		for _, full := range []bool{false, true} {
			for _, collect := range []bool{false, true} {
				tr, o, _ := begin(t, 1, full)
				tr.quarantine.count = 3
				for range 10 {
					use(tr, o)
				}
				if collect {
					testenv.RunCleanups()
				}
				stop(tr)
				if t.Run(name, func(t *testing.T) { balanced(t, tr) }); t.Failed() {
					t.Fatalf("full %t, after a collection %t", full, collect)
				}
			}
		}
	}
}

// value64 returns a value of 64 bytes that is handed out.
func value64(tr *Tracker, o *Owner, kind reflect.Type) unsafe.Pointer {
	p := unsafe.Pointer(new([8]int64))
	tr.GetValue(o, p, kind, 64)
	return p
}
