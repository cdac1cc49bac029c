//go:build go1.25

package basinhttp

import (
	"net/http"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/trace"
)

// AllowRecord permits requests that record the calls of the program's byte pools.
// Everybody who can reach the handler can make them. The command basin record does so,
// and basin replay computes the memory that pools with other settings would hold and
// allocate for the trace.
//
//	POST ?record=10s            for ten seconds, a minute at most
//	POST ?record=10s&every=100  one acquisition in a hundred
//
// A trace has sizes, times, Ps and the names of pools, but no contents and no
// addresses. It is sent while it is recorded; the program holds about 20 MB of it at
// most. If the client reads too slowly, acquisitions are left out, and the trace counts
// them. It ends early at 32 MiB or four million acquisitions. There is one recording at
// a time; other requests get 409. While a recording goes on, all byte pools take their
// slow paths, and a recorded pair of Get and Put takes some twenty times as long. At
// other times this option costs nothing.
func AllowRecord() Option { return func(h *handler) { h.allowRecord = true } }

const (
	maxRecording  = time.Minute
	recordingStep = 10 * time.Millisecond // between two drains
	recordingSend = 25                    // number of drains before each flush
)

// serveRecord serves a POST with record.
func (h *handler) serveRecord(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.allowRecord:
		http.Error(w, "basin: this program does not allow recording its pools; see basinhttp.AllowRecord", http.StatusForbidden)
		return
	case new(http.CrossOriginProtection).Check(r) != nil:
		http.Error(w, "basin: pools are not recorded on behalf of another site", http.StatusForbidden)
		return
	}
	query := r.URL.Query()
	duration, err := time.ParseDuration(query.Get("record"))
	if err != nil || duration <= 0 || duration > maxRecording {
		http.Error(w, "basin: record must be a duration of at most a minute, such as 10s", http.StatusBadRequest)
		return
	}
	every := 1
	if query.Has("every") {
		every, err = strconv.Atoi(query.Get("every"))
		if err != nil || every < 1 || every > trace.MaxEvery {
			http.Error(w, "basin: every must be a number from 1 to "+strconv.Itoa(trace.MaxEvery), http.StatusBadRequest)
			return
		}
	}
	recorder := recorder.Start(every)
	if recorder == nil {
		http.Error(w, "basin: another recording is going on", http.StatusConflict)
		return
	}
	defer recorder.Stop()
	w.Header().Set("Content-Type", trace.MediaType)
	s := &recording{Recorder: recorder, trace: trace.NewWriter(w, trace.Header{Every: every, Procs: recorder.Procs()})}
	s.cycles = gcCycles()
	control := http.NewResponseController(w)
	ticker := time.NewTicker(recordingStep)
	defer ticker.Stop()
	for n := 1; time.Since(recorder.Begun) < duration && !s.trace.HalfFull(); n++ {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
		control.SetWriteDeadline(time.Now().Add(writeTimeout)) // if w can
		s.drain()
		if n%recordingSend == 0 && (s.trace.Flush() != nil || control.Flush() != nil) {
			return
		}
	}
	recorder.Stop()
	lasted := time.Since(recorder.Begun)
	s.drain()
	s.acquisitions(recorder.Open(s.ended[:0]))
	s.trace.End(lasted, recorder.Lost()+s.unnamed)
}

// A recording is the response of serveRecord.
type recording struct {
	*recorder.Recorder
	trace   *trace.Writer
	ended   []trace.Acquisition
	pools   []basin.Stats
	cycles  uint64 // garbage collections so far
	unnamed uint64 // acquisitions of pools that had no room in the trace
}

// drain writes the records that have ended since the last call.
func (s *recording) drain() {
	if now := gcCycles(); now != s.cycles {
		s.cycles = now
		s.trace.GC(time.Since(s.Begun))
	}
	s.ended = s.Drain(s.ended[:0])
	s.acquisitions(s.ended)
}

func (s *recording) acquisitions(ended []trace.Acquisition) {
	for _, a := range ended {
		if !s.trace.Knows(a.Pool) {
			if s.trace.Full() {
				s.unnamed++
				continue
			}
			s.trace.Pool(s.pool(a.Pool))
		}
		s.trace.Acquisition(a)
	}
}

// pool describes the pool with the given ID, which may be garbage.
func (s *recording) pool(id uint64) trace.Pool {
	s.pools = basinexport.Append(s.pools[:0])
	for i := range s.pools {
		if p := &s.pools[i]; p.ID == id {
			return trace.Pool{ID: id, Name: p.Name, MaxIdle: max(0, p.Bytes.MaxIdle)}
		}
	}
	return trace.Pool{ID: id}
}

// gcCycles returns how many garbage collections have ended.
func gcCycles() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
