//go:build go1.25

package main

import (
	"fmt"
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// data is a batch of 500 spans of ten services, as a collector gets it.
var data = func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	t := ptrace.NewTraces()
	for i := range 10 {
		rs := t.ResourceSpans().AppendEmpty()
		a := rs.Resource().Attributes()
		a.PutStr("service.name", fmt.Sprintf("service-%d", i))
		a.PutStr("service.version", "1.4.2")
		a.PutStr("host.name", fmt.Sprintf("ip-10-0-%d-%d.internal", i, r.IntN(256)))
		a.PutInt("process.pid", int64(r.IntN(30000)))
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp")
		ss.Scope().SetVersion("0.60.0")
		for range 50 {
			span(r, ss.Spans().AppendEmpty())
		}
	}
	b, err := new(ptrace.ProtoMarshaler).MarshalTraces(t)
	if err != nil {
		panic(err)
	}
	return b
}()

// span sets a span of an HTTP server.
func span(r *rand.Rand, s ptrace.Span) {
	s.SetTraceID(pcommon.TraceID{1, byte(r.Uint32()), byte(r.Uint32())})
	s.SetSpanID(pcommon.SpanID{1, byte(r.Uint32()), byte(r.Uint32())})
	s.SetName(fmt.Sprintf("GET /items/%d", r.IntN(100)))
	s.SetKind(ptrace.SpanKindServer)
	begin := 1_700_000_000_000_000_000 + r.Uint64N(1e9)
	s.SetStartTimestamp(pcommon.Timestamp(begin))
	s.SetEndTimestamp(pcommon.Timestamp(begin + r.Uint64N(1e8)))
	a := s.Attributes()
	a.PutStr("http.request.method", "GET")
	a.PutStr("url.path", fmt.Sprintf("/items/%d", r.IntN(1000)))
	a.PutStr("url.scheme", "https")
	a.PutStr("server.address", "shop.example.com")
	a.PutInt("server.port", 443)
	a.PutStr("client.address", fmt.Sprintf("192.0.2.%d", r.IntN(256)))
	a.PutStr("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	a.PutInt("http.response.status_code", int64(200+100*r.IntN(4)))
	a.PutInt("http.response.body.size", int64(r.IntN(100_000)))
	a.PutBool("cache.hit", r.IntN(2) == 0)
	e := s.Events().AppendEmpty()
	e.SetName("query")
	e.Attributes().PutStr("db.statement", "SELECT * FROM items WHERE id = $1")
}

// count returns the numbers of spans and of failures, the sum of their bytes, and the slowest span.
func count(t ptrace.Traces) string {
	var spans, failures, bytes int64
	var slowest, path string
	var longest pcommon.Timestamp
	for _, rs := range t.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get("service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans++
				if v, ok := s.Attributes().Get("http.response.status_code"); ok && v.Int() >= 500 {
					failures++
				}
				if v, ok := s.Attributes().Get("http.response.body.size"); ok {
					bytes += v.Int()
				}
				if d := s.EndTimestamp() - s.StartTimestamp(); d > longest {
					v, _ := s.Attributes().Get("url.path")
					longest, slowest, path = d, service.Str(), v.Str()
				}
			}
		}
	}
	return fmt.Sprint(spans, failures, bytes, slowest, path)
}
