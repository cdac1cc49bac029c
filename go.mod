module github.com/basin-go/basin

go 1.20
