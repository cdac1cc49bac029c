module github.com/basin-go/basin/basinhttp/e2e

go 1.25

require (
	github.com/basin-go/basin v0.1.0
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
