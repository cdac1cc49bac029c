module corpus

go 1.25.0

require github.com/basin-go/basin v0.1.0
