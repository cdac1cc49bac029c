//go:build go1.25

package basinhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

func history(t *testing.T, h http.Handler) basinhttp.History {
	t.Helper()
	w := get(h, "/?format=history")
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var got basinhttp.History
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestHistory(t *testing.T) {
	for range 4 { // the pools of other tests are more than it keeps
		runtime.GC()
	}
	for _, tt := range []struct {
		name     string
		span     time.Duration
		want     time.Duration // Span
		interval time.Duration
	}{
		{"an hour", time.Hour, time.Hour, 15 * time.Second},
		{"a minute", time.Minute, time.Minute, time.Second},
		{"nothing", 0, time.Minute, time.Second},
		{"negative", -time.Hour, time.Minute, time.Second},
		{"a year", 365 * 24 * time.Hour, 24 * time.Hour, 6 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := &basin.BytePool{Name: t.Name()}
				values := &basin.Pool[int]{Name: t.Name()}
				pool.Get(1024)
				values.Get()
				id, valuesID := pool.Stats().ID, values.Stats().ID
				h := basinhttp.Handler(basinhttp.KeepHistory(tt.span))
				if got := history(t, h); len(got.Moments) != 0 || got.Span != tt.want {
					t.Errorf("at first there are %d moments, of %v", len(got.Moments), got.Span)
				}
				begun := time.Now()
				for n := range 3 {
					time.Sleep(tt.interval)
					synctest.Wait()
					got := history(t, h)
					if len(got.Moments) != n+1 {
						t.Fatalf("after %d intervals there are %d moments", n+1, len(got.Moments))
					}
					m := got.Moments[n]
					if want := begun.Add(time.Duration(n+1) * tt.interval); !m.Time.Equal(want) {
						t.Errorf("moment %d is at %v, want %v", n, m.Time, want)
					}
					of := func(id uint64) basinhttp.PoolMoment {
						i := slices.IndexFunc(m.Pools, func(p basinhttp.PoolMoment) bool { return p.ID == id })
						if i < 0 {
							t.Fatalf("moment %d lacks pool %d", n, id)
						}
						return m.Pools[i]
					}
					if got, want := of(id), (basinhttp.PoolMoment{ID: id, Gets: uint64(n + 1), InUse: int64(n+1) * 1024}); got != want {
						t.Errorf("moment %d is %+v, want %+v", n, got, want)
					}
					if got, want := of(valuesID), (basinhttp.PoolMoment{ID: valuesID, Gets: 1, Items: true, InUse: 1}); got != want {
						t.Errorf("moment %d is %+v, want %+v", n, got, want)
					}
					pool.Get(1024)
				}
				time.Sleep(2 * tt.want)
				synctest.Wait()
				got := history(t, h)
				if n, want := len(got.Moments), int(tt.want/tt.interval)+1; n != want {
					t.Errorf("at last there are %d moments, want %d", n, want)
				}
				if first := got.Moments[0].Time; time.Since(first) > tt.want {
					t.Errorf("the first moment is %v old", time.Since(first))
				}
				runtime.KeepAlive(pool)
				runtime.KeepAlive(values)
				h = nil
				for range 4 { // or the timer goes on for ever
					runtime.GC()
				}
				time.Sleep(2 * tt.interval)
			})
		})
	}
}

// TestHistoryOfLimit: the page must know which rows are no pools, so as not to add them up.
func TestHistoryOfLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &basin.Limit{Name: t.Name()}
		pool := &basin.BytePool{Name: t.Name(), Limit: limit}
		b := pool.Get(1024)
		h := basinhttp.Handler(basinhttp.KeepHistory(time.Minute))
		time.Sleep(time.Second)
		synctest.Wait()
		found := 0
		for _, p := range history(t, h).Moments[0].Pools {
			switch p.ID {
			case pool.Stats().ID, limit.Stats().ID:
				found++
				if p.Limit != (p.ID == limit.Stats().ID) || p.Items || p.InUse != 1024 {
					t.Errorf("it has %+v", p)
				}
			}
		}
		if found != 2 {
			t.Errorf("it has %d rows of two", found)
		}
		pool.Put(b)
	})
}

// TestHistoryOfManyPools has more pools than are kept.
func TestHistoryOfManyPools(t *testing.T) {
	var pools []*basin.BytePool
	for i := range 200 {
		p := &basin.BytePool{Name: fmt.Sprint(t.Name(), i)}
		for range i + 1 {
			p.Get(1024)
		}
		pools = append(pools, p)
	}
	synctest.Test(t, func(t *testing.T) {
		h := basinhttp.Handler(basinhttp.KeepHistory(time.Minute))
		time.Sleep(time.Second)
		synctest.Wait()
		m := history(t, h).Moments[0]
		if len(m.Pools) != 128 {
			t.Errorf("there are %d pools, want 128", len(m.Pools))
		}
		for i, p := range m.Pools {
			if p.InUse < 72<<10 || i > 0 && p.ID <= m.Pools[i-1].ID {
				t.Errorf("pool %d has %d bytes in use", p.ID, p.InUse)
			}
		}
		runtime.KeepAlive(h)
		h = nil
		for range 4 {
			runtime.GC()
		}
		time.Sleep(time.Minute)
	})
	runtime.KeepAlive(pools)
}

// TestNoHistory has a handler that keeps none.
func TestNoHistory(t *testing.T) {
	w := get(basinhttp.Handler(), "/?format=history")
	if w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
	if report(t, basinhttp.Handler()).HasHistory || !report(t, basinhttp.Handler(basinhttp.KeepHistory(time.Hour))).HasHistory {
		t.Error("the report does not say whether there is one")
	}
}
