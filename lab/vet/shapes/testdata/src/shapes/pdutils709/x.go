// A chain holds a pooled buffer; the caller keeps bytes of it over Close.
package pdutils709

import (
	"bytes"
	"io"

	"shapes/pdutils709/chain"
)

func BugKept(r io.Reader) []byte {
	c := chain.New(r)
	body := c.Body()
	c.Close()
	return body // BUG
}

func BugDeferred(r io.Reader) []byte {
	c := chain.New(r)
	defer c.Close()
	return c.Body() // BUG
}

func LegalCloned(r io.Reader) []byte {
	c := chain.New(r)
	defer c.Close()
	return bytes.Clone(c.Body())
}

func LegalText(r io.Reader) string {
	c := chain.New(r)
	defer c.Close()
	return c.Text()
}

func LegalOpen(r io.Reader) ([]byte, *chain.Chain) {
	c := chain.New(r)
	return c.Body(), c
}
