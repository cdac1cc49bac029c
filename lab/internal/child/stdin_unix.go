//go:build unix

package child

import (
	"os"
	"syscall"
)

// openInput returns standard input as a file whose reads wait in the poller and not in the
// kernel. Since Go 1.26, a goroutine that enters a blocking system call just when another stops
// the world can delay that stop for a minute: entersyscall checks whether the world is being
// stopped before it gives up its P, and sysmon, which would take the P away, sleeps meanwhile.
// Here a goroutine reads standard input after every request, just when the request stops the
// world to read MemStats. A program without basin that does only this shows the same.
func openInput() *os.File {
	if syscall.SetNonblock(0, true) != nil {
		return os.Stdin
	}
	return os.NewFile(0, "standard input")
}
