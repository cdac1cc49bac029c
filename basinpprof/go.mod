module github.com/basin-go/basin/basinpprof

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
)
