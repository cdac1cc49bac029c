package dev

import (
	"bytes"
	"encoding/json"
	"io"
)

// danielgtaylor/huma#542: the buffer is put as soon as the body is parsed, and the raw
// body is set from it later.
func BugReadRaw(ctx requestContext, raw *[]byte, wantsRaw bool, v any) error {
	buf := bodyPool.Get().(*bytes.Buffer)
	if _, err := io.Copy(buf, ctx.BodyReader()); err != nil {
		buf.Reset()
		bodyPool.Put(buf)
		return ctx.WriteErr(500, "cannot read request body", err)
	}
	body := buf.Bytes()
	parseErr := json.Unmarshal(body, v)
	buf.Reset()
	bodyPool.Put(buf)
	if parseErr != nil {
		return ctx.WriteErr(400, "invalid body", parseErr)
	}
	if wantsRaw {
		*raw = body // BUG
	}
	return nil
}

func fixedReadRaw(ctx requestContext, raw *[]byte, wantsRaw bool, v any) error {
	buf := bodyPool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		bodyPool.Put(buf)
	}()
	if _, err := io.Copy(buf, ctx.BodyReader()); err != nil {
		return ctx.WriteErr(500, "cannot read request body", err)
	}
	body := buf.Bytes()
	if err := json.Unmarshal(body, v); err != nil {
		return ctx.WriteErr(400, "invalid body", err)
	}
	if wantsRaw {
		*raw = bytes.Clone(body)
	}
	return nil
}
