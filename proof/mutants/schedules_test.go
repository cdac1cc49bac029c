//go:build go1.25

package mutants

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
)

// Mutants of the engine are caught a second time: by proof/schedules, which runs the engine in
// its own scheduler, so that no luck is needed.

const (
	schedules   = "proof/schedules"
	inSchedules = "20000" // schedules of a scenario in which its mutants must be caught
)

// scenarioOf has the scenario that catches a mutant.
var scenarioOf = map[string]string{
	"a popped slot is not cleared":       "stats",
	"pops are not counted":               "grace",
	"room for one more than is paid for": "grace",
	"shift removes the newest":           "handover",
	"shift does not clear":               "windows",

	"the depot keeps popped items":        "evict",
	"the low-water mark is not lowered":   "windows",
	"drop the newest":                     "evict",
	"limbo taken by another P":            "grace",
	"magazines that Trim takes come back": "trim",

	"budget off by one":                       "evict",
	"take is a load and a store":              "evict",
	"refill gives nothing back":               "classes",
	"refill gives back twice":                 "classes",
	"widen without paying":                    "grace",
	"widen keeps slots that it could not use": "classes",
	"older half to the depot without paying":  "handover",
	"settle gives all slots back":             "classes",

	"the top is not compared for double":         "double",
	"the depot's top is not compared for double": "double",

	"growth of GOMAXPROCS forgotten": "growth",
	"grow without the depots' locks": "growth",
	"growth forgets the magazines":   "growth",
	"a row though no class is busy":  "rows",
	"length stored before the array": "growth",

	"the table is dropped without a grace period": "shrink",
	"another table replaces a hidden one":         "shrink and growth",
	"the table goes while it has magazines":       "shrink",

	"pin omitted: another P by the time": "handover",
	"room for any in a hidden magazine":  "hidden",
	"hidden magazines without a pin":     "hidden",
	"limbo is not looked at":             "grace",
	"left in limbo when taken back":      "grace",
	"halve without shift":                "windows",
	"halve without giving up slots":      "windows",

	"a recall trusts the next round":           "late recall",
	"slots that are handed over stay paid for": "recall",
	"slots that are settled stay counted":      "grace",

	"no grace period, settle magazines in limbo":                     "round",
	"no grace period, settle retired magazines":                      "grace",
	"no grace period, sentinels are left while a round is under way": "grace",
	"no grace period, a late sentinel begins a round":                "grace",
	"no grace period, Poll after one collection":                     "triggers",
	"no grace period, Overdue does not wait":                         "triggers",
	"no grace period, Later does not wait":                           "limit",
	"rounds overlap":                                                 "overlap",
	"rounds by finalizers alone":                                     "blocked finalizers",
	"a new magazine leaves noWork set":                               "rest",
	"a magazine waits for the end of a window":                       "rest",
	"a Put does not wake the engine":                                 "spike",
	"a new magazine does not wake the engine":                        "rest",
	"a put is not a touch":                                           "spike",
	"a spike stays a cycle more":                                     "spike",
	"classes are read one after the other":                           "all classes",
	"Trim trusts the next round":                                     "round",
	"Trim without Quiesce":                                           "trim",
	"Trim marks no magazine":                                         "grace",
	"busy magazines are never retired":                               "grace",
	"touched items stay due":                                         "due",
	"evict items in use":                                             "evict",
	"evict waits for the other class":                                "evict",

	"best fit takes from a magazine of another P": "fit",
	"best fit forgets the budget":                 "fit in depots",
	"an item near a P is handed out twice":        "due",
	"best fit is a miss too":                      "fit in depots",

	"any takes from a magazine of another P": "any",
	"a miss of any is not counted":           "any",

	"released items are not dropped":             "evict",
	"items of settled magazines are not dropped": "grace",
	"evicted items are not dropped":              "evict",
	"surplus is not dropped":                     "surplus",
	"items are dropped twice":                    "trim",
	"an item that is turned away is not dropped": "evict",

	"checks begin beside the fast paths": "checks",

	"a retrieved item stays in the depot":       "retrieve",
	"a retrieved item stays in its magazine":    "retrieve",
	"no grace period, Retrieve without Quiesce": "retrieve",
	"retrieved items stay paid for":             "retrieve",

	"settle forgets the pops":    "trim",
	"hits summed up before puts": "stats",
}

// notByASchedule has the reason why no scenario catches a mutant.
var notByASchedule = map[string]string{
	"an abandoned class keeps its magazines":                       "the items that stay idle for longer are not wrong, only a waste",
	"best fit takes from limbo of another P":                       "one pop would have to meet another that is held up over two collections; 20,000 schedules of \"fit in limbo\" do not have that",
	"best fit ignores its factor":                                  "scenarios have two classes, of which the larger may serve for the smaller",
	"best fit does not look into limbo":                            "costs an allocation, and nothing else",
	"Get takes larger items":                                       "is the behaviour of best fit, which scenarios call",
	"a class that borrows never gets items of its own":             "costs time, and nothing else",
	"borrowing counts too few requests":                            "costs time, and nothing else",
	"borrowing although the depot has an item":                     "every item still has one owner; a smaller one would have done",
	"classes together are never busy":                              "costs time, and nothing else",
	"a larger slice under a ceiling":                               "is in the pool, not in the engine",
	"the list of waiters is not watched":                           "is in internal/waitlist, not in the engine",
	"a large new item replaces nothing":                            "items of scenarios are small",
	"a small new item replaces one":                                "costs an allocation, and nothing else",
	"a large new item replaces any smaller one":                    "the same",
	"a large new item replaces one of each class":                  "the same",
	"a result of Detach in a larger array":                         "is in the pool, not in the engine",
	"the limit on idle items does not follow MaxIdle":              "no scenario has a limit that changes",
	"a lower limit releases nothing":                               "the same",
	"the low-water mark of all classes is not lowered":             "releasing items sooner is not wrong, only a waste",
	"surplus from the classes that are used most":                  "the same",
	"surplus without best fit":                                     "the same",
	"misses know no limit":                                         "items of scenarios are small",
	"adopted items are not wanted":                                 "the same",
	"no slack for more Ps":                                         "the same",
	"misses look while magazines wait":                             "costs a look at the magazines, and nothing else",
	"two cut back at once":                                         "costs a look at the magazines, and nothing else",
	"the short Get does not count towards a busy class":            "costs time, and nothing else",
	"the short Get leaves its own magazine":                        "costs time, and nothing else",
	"newer half to the depot":                                      "every item still has one owner and is paid for; only the order in which they are used again differs",
	"busy magazines are retired":                                   "costs their Ps a lock, and nothing else",
	"trim one cycle early":                                         "released items were idle for the promised time",
	"the shared budget is not given back":                          "scenarios have one engine, which shares nothing",
	"a refused take keeps the shared budget":                       "the same",
	"slots take all that is shared":                                "the same",
	"an engine that leaves keeps the shared budget":                "the same",
	"a round does not call an engine that is gone":                 "the same",
	"a round calls engines that are not due":                       "costs time, and nothing else",
	"any class is busy":                                            "in scenarios, after a Get or two",
	"large items are busy as soon as small ones":                   "items of scenarios are small",
	"busy for ever":                                                "more slots than are needed are not wrong, only a waste",
	"slots beyond the number allowed":                              "the same",
	"the need of the last window is forgotten":                     "fewer slots than are needed cost time, and nothing else",
	"items released by checks count as need":                       "scenarios have no checks",
	"slots that were granted stay":                                 "more slots than are needed are not wrong, only a waste",
	"a miss recalls nothing":                                       "the same",
	"a miss recalls a few":                                         "costs their Ps a lock, and nothing else",
	"a recalled magazine comes back unchanged":                     "more slots than are needed are not wrong, only a waste",
	"slots that are not allowed come back":                         "the same",
	"the top is not compared on the fast path":                     "is in the pool, not in the engine; scenarios have a fast path of their own",
	"Quiesce does not wait":                                        "is in the runtime's version of internal/pin, which the scheduler replaces",
	"a panic of Drop loses items":                                  "no Drop of a scenario panics",
	"a Get that Drop ends is a miss":                               "the same",
	"an engine that is gone drops nothing":                         "no engine of a scenario is garbage",
	"an engine that is gone forgets limbo":                         "the same",
	"a peak survives a long pause":                                 "the same",
	"a tracker is replaced before it is closed":                    "no step of the scheduler lies between the two",
	"a closed tracker verifies":                                    "scenarios have no fixed buffers",
	"a record that ends is a lost array":                           "is in the pool, not in the engine",
	"a picked request is picked again":                             "costs memory, and nothing else",
	"a skipped pop counts":                                         "scenarios take no samples",
	"an array at the address of a dead one is taken for it":        "is in the pool, not in the engine",
	"a late cleanup ends the home of another array":                "is in the pool, not in the engine",
	"room is given back and the record stays":                      "is in the pool, not in the engine",
	"an adopted slice still counts":                                "is in the pool, not in the engine",
	"a slice of which a part is adopted is taken":                  "is in the pool, not in the engine",
	"a waiter is overtaken":                                        "is in internal/quota, not in the engine",
	"a refusal by the outer quota keeps the part of the inner one": "is in internal/quota, not in the engine",
	"a wait that ends keeps the part of the inner quota":           "is in internal/quota, not in the engine",
	"what goes beyond is not counted":                              "is in internal/quota, not in the engine",
	"a lower maximum fails nobody":                                 "is in internal/quota, not in the engine",
	"a higher maximum serves nobody":                               "is in internal/quota, not in the engine",
	"a request that gives up serves nobody":                        "is in internal/quota, not in the engine",
	"recovered memory serves nobody":                               "is in internal/quota, not in the engine",
	"an account closes twice":                                      "is in internal/quota, not in the engine",
	"a closed account keeps its advance":                           "is in internal/quota, not in the engine",
	"a dropped account keeps its advance":                          "is in internal/quota, not in the engine",
	"a slice beyond its reservation is free":                       "is in internal/quota, not in the engine",
	"an array that was put is still held":                          "is in the pool, not in the engine",
	"an array that was put quickly is still held":                  "is in the pool, not in the engine",
	"an array that was taken quickly is not held":                  "is in the pool, not in the engine",
	"lost memory is not recovered":                                 "is in the pool, not in the engine",
	"lost memory of a reservation goes to the pool's limit alone":  "is in the pool, not in the engine",
	"full checks list a holder twice":                              "is in the pool, not in the engine",
}

// TestScenarios: each mutant has either a scenario or a reason.
func TestScenarios(t *testing.T) {
	for _, m := range mutants {
		if (scenarioOf[m.name] == "") == (notByASchedule[m.name] == "") {
			t.Errorf("%s: needs either a scenario or a reason, has %q and %q", m.name, scenarioOf[m.name], notByASchedule[m.name])
		}
	}
	if n := len(scenarioOf) + len(notByASchedule); n != len(mutants) {
		t.Errorf("%d mutants have a scenario or a reason why not; there are %d", n, len(mutants))
	}
}

// TestSchedules: the scenario of each mutant catches it.
func TestSchedules(t *testing.T) {
	if !testenv.Bool(t, "BASIN_TEST_MUTANTS") {
		t.Skip("needs BASIN_TEST_MUTANTS=1")
	}
	t.Parallel()
	all, err := weaveAll()
	if err != nil {
		t.Fatal(err)
	}
	folder := all.compile(t, "basin_sched", schedules)
	for i, m := range mutants {
		if scenarioOf[m.name] == "" {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			scenario := strings.ReplaceAll(scenarioOf[m.name], " ", "_")
			out, err := run(folder, schedules, i+1, "^TestSchedules$/^"+scenario+"$", 50*time.Second, "BASIN_TEST_SCHEDULES="+inSchedules)
			switch caught := regexp.MustCompile(`schedule \d+: .*`).Find(out); {
			case caught != nil:
				t.Logf("caught by %s, %.120s", scenario, caught)
			case err == nil && strings.Contains(string(out), "--- PASS: TestSchedules/"+scenario):
				t.Errorf("SURVIVED %s schedules of %s", inSchedules, scenario)
			default:
				t.Errorf("%s neither passes nor says which schedule fails: %v\n%s", scenario, err, out)
			}
		})
	}
}
