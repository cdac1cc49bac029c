// A deferred release, and the bytes of the buffer returned.
package resty421

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func acquire() *bytes.Buffer { return pool.Get().(*bytes.Buffer) }

func release(b *bytes.Buffer) {
	if b != nil {
		b.Reset()
		pool.Put(b)
	}
}

func BugDirect(v any) ([]byte, error) {
	buf := pool.Get().(*bytes.Buffer)
	defer pool.Put(buf)
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil // BUG
}

func BugWrapped(v any) ([]byte, error) {
	buf := acquire()
	defer release(buf)
	err := json.NewEncoder(buf).Encode(v)
	return buf.Bytes(), err // BUG
}

func BugTrimmed(v any) []byte {
	buf := acquire()
	defer release(buf)
	json.NewEncoder(buf).Encode(v)
	body := bytes.TrimSpace(buf.Bytes())
	return body // BUG
}

func BugBasin(v any) ([]byte, error) {
	buf := basin.GetBuffer()
	defer basin.PutBuffer(buf)
	err := json.NewEncoder(buf).Encode(v)
	return buf.Bytes(), err // BUG
}

// The caller gets the buffer and releases it.
func LegalHandedOver(v any) (*bytes.Buffer, error) {
	buf := acquire()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		release(buf)
		return nil, err
	}
	return buf, nil
}

func LegalCopied(v any) ([]byte, error) {
	buf := acquire()
	defer release(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return append([]byte(nil), buf.Bytes()...), nil
}

func LegalString(v any) (string, error) {
	buf := acquire()
	defer release(buf)
	err := json.NewEncoder(buf).Encode(v)
	return buf.String(), err
}

func LegalDetached(v any) ([]byte, error) {
	buf := basin.GetBuffer()
	defer basin.PutBuffer(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return nil, err
	}
	return buf.Detach(), nil
}
