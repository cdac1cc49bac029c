package promql

import (
	"bufio"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"

	"github.com/basin-go/basin/basinprom"
	"github.com/basin-go/basin/lab/dashboards"
)

// programVariable has the name of the program that a process of this test is.
const programVariable = "BASIN_TEST_PROGRAM"

func TestMain(m *testing.M) {
	name := os.Getenv(programVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if err := serve(programs[i]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve serves the metrics of a program, as client_golang does by default, and /minute, which lets a minute pass. It
// prints its address, and ends with its input.
func serve(p program) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	prometheus.MustRegister(basinprom.NewCollector(basinprom.Opts{}))
	http.Handle("/metrics", promhttp.Handler())
	minute := p.start()
	http.HandleFunc("/minute", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("n"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		minute(n)
	})
	fmt.Println(l.Addr())
	go http.Serve(l, nil)
	bufio.NewReader(os.Stdin).ReadByte()
	return nil
}

// A process is a program that runs.
type process struct {
	command *exec.Cmd
	stdin   interface{ Close() error }
	address string
}

func start(t *testing.T, p program) *process {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), programVariable+"="+p.name)
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &process{c, stdin, strings.TrimSpace(address)}
}

func (s *process) stop(t *testing.T) {
	t.Helper()
	s.stdin.Close()
	if err := s.command.Wait(); err != nil {
		t.Error(err)
	}
}

// get returns what the process answers.
func (s *process) get(t *testing.T, path string) *http.Response {
	t.Helper()
	r, err := http.Get("http://" + s.address + path)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK {
		t.Fatal(r.Status)
	}
	return r
}

// scrape lets a program run, started anew as often as it should be, and returns the series of a scrape each minute.
func scrape(t *testing.T, p program) memory {
	t.Helper()
	stored := memory{}
	var s *process
	began := 0
	for n := range p.minutes {
		if s == nil || p.lives > 0 && n-began == p.lives {
			if s != nil {
				s.stop(t)
			}
			s, began = start(t, p), n
		}
		s.get(t, fmt.Sprint("/minute?n=", n)).Body.Close()
		if p.gap > 0 && n%p.gap == p.gap-1 {
			for _, series := range stored {
				stored.append(series.Metric, at(n), math.Float64frombits(value.StaleNaN)) // as a server does
			}
			continue
		}
		r := s.get(t, "/metrics")
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if !strings.HasPrefix(f.GetName(), "basin_") && !ofClient[f.GetName()] {
				continue
			}
			for _, m := range f.Metric {
				if f.GetName() == "process_start_time_seconds" { // in virtual time
					*m.Gauge.Value = float64(at(began).Unix())
				}
				stored.appendMetric(f.GetName(), m, n)
			}
		}
	}
	s.stop(t)
	return stored
}

// appendMetric stores m, of the nth minute.
func (stored memory) appendMetric(name string, m *dto.Metric, n int) {
	b := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, name, "job", "j", "instance", "i"))
	for _, l := range m.Label {
		b.Set(l.GetName(), l.GetValue())
	}
	h := m.GetHistogram()
	if h == nil {
		stored.append(b.Labels(), at(n), m.GetCounter().GetValue()+m.GetGauge().GetValue())
		return
	}
	stored.append(b.Set(model.MetricNameLabel, name+dashboards.Count).Labels(), at(n), float64(h.GetSampleCount()))
	b.Set(model.MetricNameLabel, name+dashboards.Bucket)
	for _, bucket := range h.Bucket {
		stored.append(b.Set(model.BucketLabel, labelOfBound(bucket.GetUpperBound())).Labels(), at(n), float64(bucket.GetCumulativeCount()))
	}
}

// labelOfBound writes a bound as Prometheus 3 does.
func labelOfBound(bound float64) string {
	s := strconv.FormatFloat(bound, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// TestPrograms evaluates all rules on the metrics of programs that run: of a wrong one exactly the rule about it fires,
// and of a right one none, at any time.
func TestPrograms(t *testing.T) {
	rules := readAlerts(t)
	wrong := map[string]bool{}
	right := 0
	for _, p := range programs {
		if p.fires == "" {
			right++
		}
		for _, alert := range strings.Fields(p.fires) {
			wrong[alert] = true
		}
		t.Run(p.name, func(t *testing.T) {
			stored, engine := scrape(t, p), newEngine(t)
			every := 1
			if p.minutes > 4*60 {
				every = 5
			}
			firing := map[string]bool{}
			last := -1
			for _, r := range rules {
				evaluate(t, r, stored, engine, p.minutes, every, func(minute int, text string) {
					if !firing[r.Alert] {
						t.Logf("%s fires after %d minutes: %s", r.Alert, minute, text)
					}
					firing[r.Alert] = true
					if p.gap > 0 && minute > last+1 {
						t.Errorf("%s pauses from minute %d to %d", r.Alert, last+1, minute)
					}
					last = minute
				})
			}
			if got := strings.Join(slices.Sorted(maps.Keys(firing)), " "); got != p.fires {
				t.Errorf("%q fires, want %q", got, p.fires)
			}
		})
	}
	for _, r := range rules {
		if !wrong[r.Alert] {
			t.Errorf("there is no program that %s is about", r.Alert)
		}
	}
	if right < 10 {
		t.Errorf("only %d programs are right", right)
	}
}
