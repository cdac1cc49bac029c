package dev

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// danielgtaylor/huma#687: an error keeps the body that could not be parsed, and the
// buffer of the body is put before the error is written.
var bodyPool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 128)) }}

type errorDetail struct {
	Message, Location string
	Value             any
}

func (e *errorDetail) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Location) }

type validateResult struct{ Errors []error }

type requestContext interface {
	BodyReader() io.Reader
	WriteErr(status int, msg string, errs ...error) error
}

func BugParseBody(ctx requestContext, v any) (*errorDetail, error) {
	buf := bodyPool.Get().(*bytes.Buffer)
	defer bodyPool.Put(buf)
	buf.Reset()
	if _, err := io.Copy(buf, ctx.BodyReader()); err != nil {
		return nil, err
	}
	body := buf.Bytes()
	if len(body) == 0 {
		return &errorDetail{Message: "request body is required", Location: "body"}, nil
	}
	if err := json.Unmarshal(body, v); err != nil {
		return &errorDetail{Message: err.Error(), Location: "body", Value: body}, nil // BUG
	}
	return nil, nil
}

func fixedParseBody(ctx requestContext, v any) (*errorDetail, error) {
	buf := bodyPool.Get().(*bytes.Buffer)
	defer bodyPool.Put(buf)
	buf.Reset()
	if _, err := io.Copy(buf, ctx.BodyReader()); err != nil {
		return nil, err
	}
	body := buf.Bytes()
	if err := json.Unmarshal(body, v); err != nil {
		return &errorDetail{Message: err.Error(), Location: "body", Value: string(body)}, nil
	}
	return nil, nil
}
