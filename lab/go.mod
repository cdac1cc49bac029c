module github.com/basin-go/basin/lab

go 1.25.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.1.2 // later ones have 40 MB of binaries
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794
	github.com/basin-go/basin v0.1.0
	github.com/basin-go/basin/adapters/basingrpc v0.1.0
	github.com/basin-go/basin/adapters/basinwebsocket v0.1.0
	github.com/basin-go/basin/basinotel v0.1.0
	github.com/basin-go/basin/basinprom v0.1.0
	github.com/basin-go/basin/compat/bpool v0.1.0
	github.com/basin-go/basin/compat/bytebuf v0.1.0
	github.com/basin-go/basin/compat/bytebufferpool v0.1.0
	github.com/basin-go/basin/compat/bytesf v0.1.0
	github.com/basin-go/basin/compat/bytespool v0.1.0
	github.com/basin-go/basin/compat/go-buffer-pool v0.1.0
	github.com/basin-go/basin/compat/poolShark v0.1.0
	github.com/basin-go/basin/compat/zeropool v0.1.0
	github.com/basin-go/basin/vet v0.1.0
	github.com/bytedance/gopkg v0.1.4
	github.com/dustin/go-humanize v1.1.0
	github.com/gobwas/pool v0.2.1
	github.com/gorilla/websocket v1.5.3
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/klauspost/compress v1.19.0
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/libp2p/go-buffer-pool v0.1.0
	github.com/oxtoacart/bpool v0.0.0-20190530202638-03653db5a59c
	github.com/prometheus/client_golang v1.24.0
	github.com/prometheus/client_model v0.6.2
	github.com/prometheus/common v0.70.0
	github.com/schollz/progressbar/v3 v3.19.0
	github.com/shirou/gopsutil/v4 v4.26.3
	github.com/valyala/bytebufferpool v1.0.0
	github.com/vmihailenco/bufpool v0.1.11
	go.opentelemetry.io/otel v1.45.0
	go.opentelemetry.io/otel/sdk/metric v1.45.0
	go.uber.org/zap v1.28.0
	golang.org/x/exp v0.0.0-20251023183803-a4bb9ffd2546
	golang.org/x/sync v0.22.0
	golang.org/x/term v0.45.0
	golang.org/x/tools v0.49.0
	gonum.org/v1/plot v0.17.0
	google.golang.org/grpc v1.81.1
	google.golang.org/protobuf v1.36.11
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/aymanbagabas/go-udiff v0.4.1 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/ebitengine/purego v0.10.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/mattn/go-runewidth v0.0.27 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/owenrumney/go-sarif/v3 v3.3.1 // indirect
	github.com/power-devops/perfstat v0.0.0-20240221224432-82ca36839d55 // indirect
	github.com/prometheus/procfs v0.21.1 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/tklauser/go-sysconf v0.3.16 // indirect
	github.com/tklauser/numcpus v0.11.0 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/metric v1.45.0 // indirect
	go.opentelemetry.io/otel/sdk v1.45.0 // indirect
	go.opentelemetry.io/otel/trace v1.45.0 // indirect
	golang.org/x/image v0.33.0 // indirect
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/net v0.58.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260226221140-a57be14db171 // indirect
)
