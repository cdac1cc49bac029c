module github.com/basin-go/basin/bench

go 1.25

require (
	github.com/basin-go/basin v0.0.0
	golang.org/x/sync v0.19.0
	github.com/valyala/bytebufferpool v1.0.0
)

replace github.com/basin-go/basin => ../
