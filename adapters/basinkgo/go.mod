module github.com/basin-go/basin/adapters/basinkgo

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/klauspost/compress v1.19.0
	github.com/twmb/franz-go v1.21.2
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260515175617-8268a5d078c0
	github.com/twmb/franz-go/pkg/kmsg v1.13.1
)

require (
	github.com/pierrec/lz4/v4 v4.1.26 // indirect
	golang.org/x/crypto v0.51.0 // indirect
)
