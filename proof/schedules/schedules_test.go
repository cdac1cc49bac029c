//go:build go1.25 && basin_sched

package schedules

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
)

// TestSchedules: in every schedule each item has one owner, at most MaxIdle is idle, the
// statistics add up in the end, and some thread can always go on.
func TestSchedules(t *testing.T) {
	each := testenv.Int(t, "BASIN_TEST_SCHEDULES", 7_000)      // of each scenario
	preemptions := testenv.Int(t, "BASIN_TEST_PREEMPTIONS", 1) // all schedules with at most so many, within half of each
	seed := testenv.Uint64(t, "BASIN_TEST_SEED", 1)            // of the random schedules
	again := os.Getenv("BASIN_TEST_REPLAY")                    // a schedule to replay, of the one scenario that -run names
	begin, runs := time.Now(), 0
	var by [triggers]int
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			x := &explorer{scenario: s}
			if again != "" {
				made, err := parse(again)
				if err != nil {
					t.Fatal(err)
				}
				if err := x.replay(made, t.Logf); err != nil {
					t.Error(err)
				}
				return
			}
			covered, within := 0, -1
			var failed *failure
			for n, few := 0, 1; n <= preemptions && failed == nil; n++ {
				before := x.runs
				all := false
				if all, failed = x.bounded(n, each/2-before); !all {
					break
				}
				covered, within = x.runs-before, n
				// covered*covered/few estimates the number of schedules with one more
				// preemption. If they do not fit, their first ones are all alike, and random
				// schedules find more.
				if covered*covered/few > each/2-x.runs {
					break
				}
				few = covered
			}
			if failed == nil {
				failed = x.random(seed, each-x.runs)
			}
			runs += x.runs
			for i, n := range x.world.by {
				by[i] += n
			}
			if failed != nil {
				t.Errorf("schedule %d: %v\nagain: BASIN_TEST_REPLAY=%s go test -tags basin_sched ./proof/schedules -v -run 'Schedules/%s$'",
					failed.after, failed.err, failed.made, s.name)
				return
			}
			t.Logf("%d schedules of up to %d steps, among them all %d with at most %d preemptions; rounds %v", x.runs, x.length, covered, within, x.world.by)
		})
	}
	t.Logf("rounds begun by a finalizer: %d, by a cleanup: %d, by Poll: %d, by Overdue: %d", by[byFinalizer], by[byCleanup], by[byPoll], by[byOverdue])
	if ran := flag.Lookup("test.run").Value.String(); !strings.Contains(ran, "/") && again == "" && slices.Contains(by[:], 0) {
		t.Error("some way to begin a round was not explored")
	}
	t.Logf("%d schedules, %.0f in a second", runs, float64(runs)/time.Since(begin).Seconds())
}
