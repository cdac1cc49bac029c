// A pipe's buffer is put when the stream closes; the reader holds the pipe.
package go14960

import "shapes/go14960/pipe"

type Stream struct {
	body *pipe.Pipe
	out  chan *pipe.Pipe
}

func (s *Stream) BugClose() byte {
	p := pipe.New()
	s.out <- p  // ALSO
	p.Release() // BUG
	return 0
}

func BugRead() (byte, error) {
	p := pipe.New()
	p.Write([]byte("x"))
	p.Release()
	return p.First() // BUG
}

func (s *Stream) LegalClose() {
	p := pipe.New()
	s.out <- p
}

func (s *Stream) LegalOwn() {
	p := pipe.New()
	defer p.Release()
	p.Write([]byte("x"))
	p.First()
}

func LegalRead() (byte, error) {
	p := pipe.New()
	p.Write([]byte("x"))
	c, err := p.First()
	p.Release()
	return c, err
}
