module github.com/basin-go/basin/adapters/basincompress

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/klauspost/compress v1.18.4
)
