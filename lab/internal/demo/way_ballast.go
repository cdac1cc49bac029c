package demo

import (
	"io"
	"net/http"
	"sync"
)

// ballast is discard with as much idle memory as basin keeps, so that collections are as rare.
// It shows the benefit of rare collections alone.
var ballast = way{name: "discard, ballast", fixedReply: string(discardReply), forward: func(w http.ResponseWriter, body io.Reader) error {
	takeBallast()
	return forwardDiscard(w, body)
}}

// ballastSize is about the memory that basin keeps in this demo.
const ballastSize = 24 << 20

var ballastHeld []byte

var takeBallast = sync.OnceFunc(func() {
	ballastHeld = make([]byte, ballastSize)
	for i := 0; i < len(ballastHeld); i += 4096 {
		ballastHeld[i] = 1 // otherwise the page would take no memory
	}
})
