package dev

import (
	"errors"
	"io"
	"sync"
	"time"
)

// moby/moby#43306: the time of a message is read after the message has been put.
type logMessage struct {
	Line      []byte
	Source    string
	Timestamp time.Time
	Err       error
}

var messagePool = &sync.Pool{New: func() any { return &logMessage{Line: make([]byte, 0, 256)} }}

func (m *logMessage) reset() { *m = logMessage{Line: m.Line[:0]} }

func putMessage(msg *logMessage) {
	msg.reset()
	messagePool.Put(msg)
}

type logFile struct {
	mu            sync.Mutex
	closed        bool
	w             io.Writer
	capacity      int64
	size          int64
	lastTimestamp time.Time
	marshal       func(*logMessage) ([]byte, error)
}

func (w *logFile) BugWriteLogEntry(msg *logMessage) error {
	b, err := w.marshal(msg)
	if err != nil {
		return err
	}
	putMessage(msg)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("closed")
	}
	if w.capacity > 0 && w.size >= w.capacity {
		w.size = 0
	}
	n, err := w.w.Write(b)
	if err == nil {
		w.size += int64(n)
		w.lastTimestamp = msg.Timestamp // BUG
	}
	return err
}

func (w *logFile) fixedWriteLogEntry(msg *logMessage) error {
	b, err := w.marshal(msg)
	if err != nil {
		return err
	}
	ts := msg.Timestamp
	putMessage(msg)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("closed")
	}
	n, err := w.w.Write(b)
	if err == nil {
		w.size += int64(n)
		w.lastTimestamp = ts
	}
	return err
}
