//go:build go1.25

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/net/html"
)

// The page is the specification of Go, without its second half.
var page = func() []byte {
	b, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "doc/go_spec.html"))
	if err != nil {
		panic(err)
	}
	return b[:len(b)/2]
}()

// count returns the numbers of nodes, attributes and bytes of text, and all links.
func count(n *html.Node) string {
	var nodes, attrs, text int
	var links bytes.Buffer
	for c := range n.Descendants() {
		nodes++
		attrs += len(c.Attr)
		if c.Type == html.TextNode {
			text += len(c.Data)
		}
		for _, a := range c.Attr {
			if a.Key == "href" {
				links.WriteString(a.Val)
			}
		}
	}
	return fmt.Sprint(nodes, attrs, text, links.String())
}
