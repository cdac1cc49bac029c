module github.com/basin-go/basin/lab

go 1.25.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.1.2 // later ones have 40 MB of binaries
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794
	github.com/basin-go/basin v0.1.0
	github.com/bytedance/gopkg v0.1.4
	github.com/dustin/go-humanize v1.1.0
	github.com/gobwas/pool v0.2.1
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/libp2p/go-buffer-pool v0.1.0
	github.com/oxtoacart/bpool v0.0.0-20190530202638-03653db5a59c
	github.com/schollz/progressbar/v3 v3.19.0
	github.com/shirou/gopsutil/v4 v4.26.3
	github.com/urfave/cli/v3 v3.14.0
	github.com/valyala/bytebufferpool v1.0.0
	github.com/vmihailenco/bufpool v0.1.11
	go.uber.org/zap v1.28.0
	golang.org/x/sync v0.22.0
	golang.org/x/term v0.40.0
	gonum.org/v1/plot v0.17.0
	google.golang.org/grpc v1.80.0
)

require (
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/power-devops/perfstat v0.0.0-20240221224432-82ca36839d55 // indirect
	github.com/tklauser/go-sysconf v0.3.16 // indirect
	github.com/tklauser/numcpus v0.11.0 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/ebitengine/purego v0.10.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/mattn/go-runewidth v0.0.27 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/image v0.33.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.33.0 // indirect
)
