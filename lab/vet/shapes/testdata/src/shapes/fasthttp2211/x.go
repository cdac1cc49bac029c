// A connection's reader is released by the hijack handler and after it.
package fasthttp2211

import (
	"bufio"
	"io"

	"shapes/fasthttp2211/server"
)

func BugHijack(s *server.Server, c io.ReadWriter, hijacked bool) {
	br := s.AcquireReader(c)
	if hijacked {
		s.Hijack(c, br)
	}
	s.ReleaseReader(br) // BUG
}

func BugClosed(s *server.Server, c io.ReadWriter) error {
	bw := s.AcquireWriter(c)
	err := s.Flush(bw)
	s.ReleaseWriter(bw) // BUG
	return err
}

func LegalHijack(s *server.Server, c io.ReadWriter, hijacked bool) {
	br := s.AcquireReader(c)
	if hijacked {
		s.Hijack(c, br)
		return
	}
	s.ReleaseReader(br)
}

func LegalNil(s *server.Server, c io.ReadWriter, hijacked bool) {
	var br *bufio.Reader
	br = s.AcquireReader(c)
	if hijacked {
		s.Hijack(c, br)
		br = nil
	}
	if br != nil {
		s.ReleaseReader(br)
	}
}

func LegalFlush(s *server.Server, c io.ReadWriter) error {
	bw := s.AcquireWriter(c)
	return s.Flush(bw)
}

// Both conditions are the same value.
func LegalFlag(s *server.Server, c io.ReadWriter, hijacked bool) {
	br := s.AcquireReader(c)
	if hijacked {
		s.Hijack(c, br)
	}
	if !hijacked {
		s.ReleaseReader(br)
	}
}
