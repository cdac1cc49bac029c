//go:build go1.25

// Command sim runs the workloads whose names begin with its first argument. Each further argument is
// a number of simulated Ps. It prints how many cache lines move between them, as JSON. The code of
// basin must be instrumented: see proof/cachelines.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/proof/cachelines/lines"
)

const (
	warm  = 20_000 // operations of each P until the pool has its magazines
	fill  = 500    // and until the caches have their lines
	ops   = 1_000  // operations of each P that count
	size  = 4096
	burst = 40 // more than a magazine has
	queue = 64 // slices on the way from a producer to a consumer
)

// A user is a goroutine. Each step is a Get or a Put, and reports whether it was a Put.
type user func() (put bool)

// workloads make their users for a number of Ps.
var workloads = []struct {
	name  string
	users func(ps int) []user
}{
	{"alone", func(ps int) []user {
		var pool basin.BytePool
		return alone(ps, func() []byte { return pool.Get(size) }, pool.Put)
	}},
	{"alone, Pool of pointers", func(ps int) []user {
		pool := basin.Pool[*[64]byte]{New: func() *[64]byte { return new([64]byte) }}
		return alone(ps, pool.Get, pool.Put)
	}},
	{"alone, BufferPool", func(ps int) []user {
		var pool basin.BufferPool
		return alone(ps, pool.Get, pool.Put)
	}},
	{"hand-over", func(ps int) (users []user) {
		var pool basin.BytePool
		for p := 0; p < ps; p += 2 {
			var way [][]byte
			users = append(users, func() bool {
				lines.P = p
				if len(way) < queue {
					way = append(way, pool.Get(size))
				}
				return false
			}, func() bool {
				lines.P = min(p+1, ps-1)
				if len(way) == 0 {
					return false
				}
				b := way[0]
				way = way[1:]
				pool.Put(b)
				return true
			})
		}
		return users
	}},
	{"bursts", func(ps int) (users []user) {
		var pool basin.BytePool
		for p := range ps {
			var held [][]byte
			falls := false
			users = append(users, func() bool {
				lines.P = p
				if falls = len(held) == burst || falls && len(held) > 0; !falls {
					held = append(held, pool.Get(size))
					return false
				}
				b := held[len(held)-1]
				held = held[:len(held)-1]
				pool.Put(b)
				return true
			})
		}
		return users
	}},
	{"wandering", func(ps int) (users []user) {
		var pool basin.BytePool
		for range 4 * ps {
			var b []byte
			users = append(users, func() bool {
				lines.P = random.IntN(ps)
				if b == nil {
					b = pool.Get(size)
					return false
				}
				pool.Put(b)
				b = nil
				return true
			})
		}
		return users
	}},
}

// alone has a user on each P, who gets and puts one item after another.
func alone[T any](ps int, get func() T, put func(T)) (users []user) {
	for p := range ps {
		var x T
		has := false
		users = append(users, func() bool {
			lines.P = p
			if has = !has; has {
				x = get()
				return false
			}
			put(x)
			return true
		})
	}
	return users
}

var random = rand.New(rand.NewPCG(1, 2))

// simulate runs users, one step of any of them after another, until they have put so many items.
func simulate(users []user, ps, puts int) {
	for n := 0; n < puts; {
		lines.Now += max(1, 20*time.Nanosecond/time.Duration(ps)) // a step takes 20 ns
		if users[random.IntN(len(users))]() {
			n++
		}
	}
}

func run(prefix string, numbers []string) error {
	encoder := json.NewEncoder(os.Stdout)
	for _, w := range workloads {
		if !strings.HasPrefix(w.name, prefix) {
			continue
		}
		for _, number := range numbers {
			ps, err := strconv.Atoi(number)
			if err != nil || ps < 1 || ps > lines.MaxP {
				return fmt.Errorf("%q is not a number of Ps from 1 to %d", number, lines.MaxP)
			}
			runtime.GOMAXPROCS(ps) // the pools ask for it
			lines.Stop()
			users := w.users(ps)
			simulate(users, ps, warm*ps)
			lines.Start(6)
			simulate(users, ps, fill*ps)
			lines.ResetCounts()
			simulate(users, ps, ops*ps)
			c := lines.Counted()
			if c.Accesses == 0 {
				return fmt.Errorf("%s: no accesses: the code is not instrumented", w.name)
			}
			n := float64(ops * ps)
			r := lines.Result{
				Workload: w.name, Ps: ps,
				Accesses: float64(c.Accesses) / n, Transfers: float64(c.Transfers) / n, Hottest: float64(c.Hottest) / n,
				At: make(map[string]float64),
			}
			for at, transfers := range c.At {
				r.At[at] = float64(transfers) / n
			}
			if err := encoder.Encode(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func main() {
	debug.SetGCPercent(-1) // see lines.Run
	var err error
	lines.Run(func() { err = run(os.Args[1], os.Args[2:]) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
