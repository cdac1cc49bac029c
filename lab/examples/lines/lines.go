// Package lines serves a line protocol on connections that wait most of the time.
package lines

import (
	"bytes"
	"errors"
	"io"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
)

// commands has the memory of Readers and Writers. Under a ceiling, a Reader would wait for room, and a
// Writer without room would write at once.
var commands = &basin.BytePool{Name: "commands"}

// Serve answers the commands of conn, until it ends. conn is a TCP or TLS connection, a channel of
// SSH, or a pipe. While it waits for a command, there is no buffer.
func Serve(conn io.ReadWriter) error {
	r, w := &basinio.Reader{Pool: commands}, &basinio.Writer{Pool: commands}
	r.Reset(conn)
	w.Reset(conn)
	defer r.Reset(nil) // gives memory back: of bytes that an error leaves, or of the last line
	defer w.Reset(nil)
	for {
		line, err := r.ReadSlice('\n') // valid until the next read
		if err != nil {
			if err == io.EOF && len(line) == 0 {
				err = nil
			}
			return err
		}
		name, argument, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(" "))
		switch string(name) {
		case "echo":
			w.Write(argument)
			w.WriteByte('\n')
		default:
			return errors.New("unknown command")
		}
		if r.Buffered() == 0 { // else the next command is there already
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}
