package more

import (
	"bytes"
	"encoding/json"
	"sync"
)

// mozilla-services/go-syncstorage#148: the formatter of logs does the same with a deferred literal.
var logEncoders = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type logEntry struct {
	Fields map[string]any
	Level  int
}

type logFormatter struct{ host string }

func (f *logFormatter) BugFormat(e *logEntry) ([]byte, error) {
	m := map[string]any{"host": f.host, "level": e.Level}
	for k, v := range e.Fields {
		switch v := v.(type) {
		case error:
			m[k] = v.Error()
		default:
			m[k] = v
		}
	}
	b := logEncoders.Get().(*bytes.Buffer)
	defer func() {
		b.Reset()
		logEncoders.Put(b)
	}()
	if err := json.NewEncoder(b).Encode(m); err != nil {
		return nil, err
	}
	return b.Bytes(), nil // BUG
}

func (f *logFormatter) fixedFormat(e *logEntry) ([]byte, error) {
	b := logEncoders.Get().(*bytes.Buffer)
	b.Reset()
	defer logEncoders.Put(b)
	if err := json.NewEncoder(b).Encode(e.Fields); err != nil {
		return nil, err
	}
	c := make([]byte, b.Len())
	copy(c, b.Bytes())
	return c, nil
}
