package report

import (
	"bufio"
	"io"
	"os"
)

// An Output is a file that is opened before a long measurement. Write then replaces its
// content; until then an existing file remains unchanged.
type Output struct {
	f     *os.File
	fresh bool // the file did not exist before
}

// Create opens the named file for writing.
func Create(name string) (*Output, error) {
	_, err := os.Stat(name)
	f, openErr := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if openErr != nil {
		return nil, openErr
	}
	return &Output{f, os.IsNotExist(err)}, nil
}

// Abandon closes the file and, if it did not exist before, removes it.
func (o *Output) Abandon() {
	o.f.Close()
	if o.fresh {
		os.Remove(o.f.Name())
	}
}

// Write replaces the content of the file and closes it.
func (o *Output) Write(write func(io.Writer) error) error {
	defer o.f.Close()
	if info, err := o.f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := o.f.Truncate(0); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(o.f)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return o.f.Close()
}
