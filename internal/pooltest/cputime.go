//go:build go1.25

package pooltest

import "time"

// CPUTime returns the processor time that the process takes while f runs.
func CPUTime(f func()) time.Duration {
	begin := cpu()
	f()
	return cpu() - begin
}
