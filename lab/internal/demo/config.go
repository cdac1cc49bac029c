package demo

import (
	"errors"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Config has the settings of the demo.
type Config struct {
	Duration    time.Duration // of all load, warm-up included; at least one round of each way runs
	Settle      time.Duration // wait after the load, before measuring the memory that gateways still hold; or zero
	Concurrency int           // connections to the gateway
	Corpus      string        // directory of the files served; empty for the Go standard library's source
	Attribution bool          // measure further ways, which differ in one thing each
}

// Complete fills in the default corpus and returns an error if c is invalid.
func (c *Config) Complete() error {
	if c.Duration <= 0 {
		return fmt.Errorf("-duration must be more than zero, got %v", c.Duration)
	}
	if c.Settle < 0 {
		return fmt.Errorf("-settle must be zero or more, got %v", c.Settle)
	}
	if c.Concurrency <= 0 {
		return fmt.Errorf("-concurrency must be more than zero, got %d", c.Concurrency)
	}
	if c.Corpus == "" {
		dir, err := standardLibrary()
		if err != nil {
			return err
		}
		c.Corpus = dir
	}
	info, err := os.Stat(c.Corpus)
	if err != nil {
		return fmt.Errorf("-corpus: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("-corpus must be a directory, %s is a file", c.Corpus)
	}
	return nil
}

func standardLibrary() (string, error) {
	root := build.Default.GOROOT
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		root = strings.TrimSpace(string(out))
	}
	if root == "" {
		return "", errors.New("no Go installation found to take files from: name a directory with -corpus")
	}
	return filepath.Join(root, "src"), nil
}
