package dev

import (
	"bytes"
	"io"
	"sync"
)

// cockroachdb/cockroach#69097: the buffer that was got is replaced by another before
// the deferred Put, which puts neither of them as it should.
type logBuffer struct {
	bytes.Buffer
	next *logBuffer
}

var logBuffers = sync.Pool{New: func() any { return new(logBuffer) }}

func getLogBuffer() *logBuffer { return logBuffers.Get().(*logBuffer) }

func putLogBuffer(b *logBuffer) {
	b.Reset()
	logBuffers.Put(b)
}

type sink struct {
	w       io.Writer
	enabled bool
}

func formatEntry(msg string) *logBuffer {
	b := getLogBuffer()
	b.WriteString(msg)
	return b
}

func BugOutput(sinks []sink, msg string) error {
	for _, s := range sinks {
		if !s.enabled {
			continue
		}
		buf := getLogBuffer()
		defer putLogBuffer(buf) // BUG
		buf = formatEntry(msg)
		if _, err := s.w.Write(buf.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func fixedOutput(sinks []sink, msg string) error {
	for _, s := range sinks {
		if !s.enabled {
			continue
		}
		buf := formatEntry(msg)
		_, err := s.w.Write(buf.Bytes())
		putLogBuffer(buf)
		if err != nil {
			return err
		}
	}
	return nil
}
