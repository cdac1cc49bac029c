module github.com/basin-go/basin/cmd

go 1.25

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/basin-go/basin v0.0.0
	github.com/dustin/go-humanize v1.1.0
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/schollz/progressbar/v3 v3.19.0
	github.com/urfave/cli/v3 v3.14.0
	golang.org/x/sync v0.19.0
	golang.org/x/term v0.40.0
)

require (
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/text v0.22.0 // indirect
)

replace github.com/basin-go/basin => ../
