module github.com/basin-go/basin/compat/go-buffer-pool

go 1.20

require github.com/basin-go/basin v0.1.0
