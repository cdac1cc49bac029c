module github.com/basin-go/basin/proof/dropin

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/basin-go/basin/compat/bpool v0.1.0
	github.com/basin-go/basin/compat/bytebuf v0.1.0
	github.com/basin-go/basin/compat/bytebufferpool v0.1.0
	github.com/basin-go/basin/compat/bytesf v0.1.0
	github.com/basin-go/basin/compat/bytespool v0.1.0
	github.com/basin-go/basin/compat/go-buffer-pool v0.1.0
	github.com/basin-go/basin/compat/poolShark v0.1.0
	github.com/basin-go/basin/compat/zeropool v0.1.0
	github.com/libp2p/go-buffer-pool v0.1.0
	github.com/oxtoacart/bpool v0.0.0-20190530202638-03653db5a59c
	github.com/valyala/bytebufferpool v1.0.0
	golang.org/x/exp v0.0.0-20251023183803-a4bb9ffd2546
	golang.org/x/tools v0.49.0
)

require (
	github.com/basin-go/basin/compat/capacitypools v0.1.0 // indirect
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
)
