package dev

import (
	"bytes"
	"sync"
)

// rs/zerolog#594: the context of a logger is built in a pooled buffer.
var ctxPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type logger struct {
	level   int
	context []byte
	stack   bool
}

type loggerContext struct{ l logger }

func appendBeginMarker(dst []byte) []byte { return append(dst, '{') }

func (l logger) BugWith() loggerContext {
	old := l.context
	buf := ctxPool.Get().(*bytes.Buffer)
	buf.Reset()
	defer ctxPool.Put(buf)
	if old != nil {
		buf.Write(old)
	} else {
		buf.Write(appendBeginMarker(nil))
	}
	l.context = buf.Bytes()
	return loggerContext{l} // BUG
}

func (l logger) fixedWith() loggerContext {
	old := l.context
	l.context = make([]byte, 0, 500)
	if old != nil {
		l.context = append(l.context, old...)
	} else {
		l.context = appendBeginMarker(l.context)
	}
	return loggerContext{l}
}
