package dev

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// sigscalr/sigscalr-client#64: the buffer of a bulk request is put before the request
// has been sent.
var bulkPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func bulkBody(count int, line any) (*bytes.Buffer, error) {
	bb := bulkPool.Get().(*bytes.Buffer)
	bb.Reset()
	for range count {
		b, err := json.Marshal(line)
		if err != nil {
			bulkPool.Put(bb)
			return nil, err
		}
		bb.Write(b)
		bb.WriteString("\n")
	}
	return bb, nil
}

func BugSendBulk(client *http.Client, url, bearer string, count int, line any) error {
	bb, err := bulkBody(count, line)
	if err != nil {
		return err
	}
	payload := bb.Bytes()
	bulkPool.Put(bb)
	req, err := http.NewRequest("POST", url, bytes.NewReader(payload)) // BUG
	if err != nil {
		return err
	}
	if bearer != "" {
		req.Header.Add("Authorization", "Bearer "+bearer)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}
