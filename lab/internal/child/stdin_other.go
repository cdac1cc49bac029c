//go:build !unix

package child

import "os"

func openInput() *os.File { return os.Stdin }
