// Command screenshots takes pictures of the live page of a running program: light and
// dark, wide and narrow.
//
//	screenshots URL DIRECTORY
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// watched is how long the page is watched before the pictures are taken.
const watched = 15 * time.Second

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: screenshots URL DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(url, dir string) error {
	options := chromedp.DefaultExecAllocatorOptions[:]
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url)); err != nil {
		return err
	}
	time.Sleep(watched)
	// Open the pool with a ceiling: it has the most figures.
	open := `(() => {
		const pool = [...pools.values()].find(p => p.now.bytes.max_in_use > 0);
		if (pool && !pool.view.detail) open(pool);
		return 0;
	})()`
	const page, pool = "document.body", "[...pools.values()].find(p => p.view.detail).view.row"
	for _, picture := range []struct {
		name, scheme  string
		width, height int64
		from          string // the top of the picture
	}{
		{"page-light.png", "light", 1280, 1000, page},
		{"page-dark.png", "dark", 1280, 1000, page},
		{"page-pool-light.png", "light", 1280, 1100, pool},
		{"page-pool-dark.png", "dark", 1280, 1100, pool},
		{"page-narrow.png", "light", 400, 1400, page},
	} {
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: picture.scheme}},
		}); err != nil {
			return err
		}
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(picture.width, picture.height)); err != nil {
			return err
		}
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[int](open)); err != nil {
			return err
		}
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[int]("document.querySelector('header').style.position = 'static', "+picture.from+".scrollIntoView(), 0")); err != nil {
			return err
		}
		time.Sleep(2500 * time.Millisecond) // for another report, and for curves to be drawn anew
		image, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, picture.name), image, 0o644); err != nil {
			return err
		}
	}
	return nil
}
