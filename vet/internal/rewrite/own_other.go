//go:build !unix

package rewrite

import "os"

func own(*os.File, os.FileInfo) error { return nil }
