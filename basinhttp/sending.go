//go:build go1.25

package basinhttp

import (
	"encoding/json"
	"sync"
)

// maxSending bounds the bytes of all encoded reports that are being sent to clients.
// A single report may be larger.
const maxSending = 32 << 20

// A sender encodes the reports that read returns, and counts the bytes of those that are being sent.
type sender struct {
	read     func() any // called by one goroutine at a time; the result is valid until it is called again
	encoding sync.Mutex // held while a report is made

	mu      sync.Mutex
	next    *encoded // the next report, not yet begun; all callers until then share it
	size    int64    // of the last report
	sending int64    // bytes of all reports that have readers
}

// An encoded is one report in JSON.
type encoded struct {
	text    []byte
	readers int
	size    int64 // bytes accounted in sender.sending; an estimate until encoded
}

// take returns a current report. The caller must call done when the report is sent.
// It returns nil if readers hold so many reports that there is no room for another.
func (s *sender) take() *encoded {
	e := s.join()
	if e == nil {
		return nil
	}
	s.encoding.Lock()
	defer s.encoding.Unlock()
	if e.text == nil { // no other reader has made the report meanwhile
		s.begin(e)
		text, err := json.Marshal(s.read())
		if err != nil {
			panic(err) // a Report has nothing that cannot be marshalled
		}
		s.finish(e, append(text, '\n'))
	}
	return e
}

// join makes the caller a reader of the next report.
func (s *sender) join() *encoded {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		if s.sending > 0 && s.sending+s.size > maxSending {
			return nil
		}
		s.next = &encoded{size: s.size}
		s.sending += s.size
	}
	s.next.readers++
	return s.next
}

func (s *sender) begin(e *encoded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = nil
}

func (s *sender) finish(e *encoded, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.text = text
	s.size = int64(len(text))
	s.sending += s.size - e.size
	e.size = s.size
}

// done ends the use of e by one caller of take.
func (s *sender) done(e *encoded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.readers--; e.readers == 0 {
		s.sending -= e.size
	}
}
