module corpus

go 1.16

require github.com/basin-go/basin v0.1.0
