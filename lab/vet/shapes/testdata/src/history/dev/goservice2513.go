package dev

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// alexfalkowski/go-service#2513: the transport may read the body of a request after Do
// has returned.
type contentClient struct {
	pool sync.Pool
	http *http.Client
}

func (c *contentClient) BugDo2513(url string, in, out any) error {
	buffer := c.pool.Get().(*bytes.Buffer)
	defer c.pool.Put(buffer)
	buffer.Reset()
	if in != nil {
		if err := json.NewEncoder(buffer).Encode(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(http.MethodPost, url, buffer)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req) // BUG
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}
