//go:build go1.25

package basinhttp

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
)

// The parts of the page. uPlot draws the curves. It is from another project, and the page includes its
// license.
var (
	//go:embed page/page.html
	pageHTML []byte
	//go:embed page/page.css
	pageCSS []byte
	//go:embed page/page.js
	pageJS []byte
	//go:embed page/uPlot.min.css
	uPlotCSS []byte
	//go:embed page/uPlot.min.js
	uPlotJS []byte
	//go:embed page/uPlot.LICENSE
	uPlotLicense []byte
)

// page is the page with all its parts in place. pagePolicy is its Content-Security-Policy: the page may
// run its own scripts, known by their hashes, and fetch data from its own origin.
var page, pagePolicy = assemble()

func assemble() ([]byte, string) {
	text := pageHTML
	// Indentation and comments are not sent.
	aside := regexp.MustCompile(`(?m)^\t*//.*\n|^\t*/\*.*\*/\n|^\t+|[ \t]+// .*$|[ \t]+/\*.*\*/$`)
	pageCSS, pageJS := aside.ReplaceAll(pageCSS, nil), aside.ReplaceAll(pageJS, nil)
	put := func(name string, content []byte) {
		text = bytes.Replace(text, []byte("{{"+name+"}}"), content, 1)
	}
	hash := func(content []byte) string {
		sum := sha256.Sum256(content)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	put("page.css", pageCSS)
	put("uPlot.min.css", uPlotCSS)
	put("uPlot.LICENSE", uPlotLicense)
	put("uPlot.min.js", uPlotJS)
	put("page.js", pageJS)
	return text, fmt.Sprintf("default-src 'none'; style-src %s %s; script-src %s %s; connect-src 'self'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		hash(pageCSS), hash(uPlotCSS), hash(uPlotJS), hash(pageJS))
}

func servePage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Write(page)
}
