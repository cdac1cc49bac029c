package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfPoolLists has memory that is made if all pools of a list are empty, and other memory beside.
func TestReasonsOfPoolLists(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"io"
	"sync"
)

type pool struct {
	pools []sync.Pool
	many  map[int]*sync.Pool
	kept  [][]byte
	sizes []int
}

var shared [8]sync.Pool

func newPool(n int) *pool { return &pool{pools: make([]sync.Pool, n)} }

func (p *pool) Get(size, at int) []byte {
	for i := at; i < len(p.pools); i++ {
		if v := p.pools[i].Get(); v != nil {
			b := *v.(*[]byte)
			return b[:size]
		}
	}
	if size < 100 {
		return make([]byte, size) // : do not pool; It is pooled already, by one of pool.pools (p.go:9); these are the Gets that its pool cannot serve.
	}
	return make([]byte, p.sizes[at])[:size] // : do not pool; It is pooled already, by one of pool.pools (p.go:9); these are the Gets that its pool cannot serve.
}

func (p *pool) Put(b []byte, at int) { p.pools[at].Put(&b) }

func global(size, at int) []byte {
	if b, ok := shared[at].Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, size) // : do not pool; It is pooled already, by one of shared (p.go:15)
}

func put(b []byte, at int) { shared[at].Put(&b) }

func (p *pool) found(w io.Writer, size, at int) {
	var v any
	for i := at; i < len(p.pools) && v == nil; i++ {
		v = p.pools[i].Get()
	}
	var b []byte
	if v == nil {
		b = make([]byte, size) // : do not pool; It is pooled already, by one of pool.pools
	} else {
		b = *v.(*[]byte)
	}
	w.Write(b)
	p.Put(b, at)
}

func (p *pool) mapped(size int) []byte {
	if of, ok := p.many[size]; ok {
		if v := of.Get(); v != nil {
			return v.([]byte)[:size]
		}
	}
	return make([]byte, size) // : do not pool; It is pooled already, by one of pool.many (p.go:10)
}

func (p *pool) putMapped(b []byte) { p.many[cap(b)].Put(b) }

func (p *pool) list(size, at int) []byte {
	for i := at; i < len(p.kept); i++ {
		if b := p.kept[i]; b != nil {
			return b[:size]
		}
	}
	return make([]byte, size) // : needs an owner; The memory leaves (*pool).list: it is returned
}

func (p *pool) beside(size, at int) ([]byte, []byte) {
	b := p.pools[at].Get()
	if b == nil {
		return nil, nil
	}
	return *b.(*[]byte), make([]byte, size) // : needs an owner; The memory leaves (*pool).beside: it is returned
}

func (p *pool) either(size, at int, other any) []byte {
	v := other
	if size > 10 {
		v = p.pools[at].Get()
	}
	if v == nil {
		b := make([]byte, size) // : needs an owner; The memory leaves (*pool).either: it is stored in an element of field pool.kept.
		p.kept[at] = b
		return nil
	}
	return nil
}
`, nil)
	var found []string
	for _, p := range r.Pools {
		found = append(found, p.Name+": "+string(p.Verdict)+" "+strings.Join(p.Reasons, " ")+" "+strings.Join(p.Places, ", "))
	}
	text := strings.Join(found, "\n")
	for _, want := range []string{
		"field pools, of several pools, of a.example/p: has no limit ", "(*pool).Get makes 12 % of the program's allocations at p.go:29, because the pool has nothing", "Put: p/p.go:32",
		"field many, of several pools, of a.example/p: misses (*pool).mapped makes ",
		"shared, of several pools, of a.example/p: has no limit",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "kept") {
		t.Errorf("a list of slices is no pool:\n%s", text)
	}
}
