//go:build go1.25 && linux && (386 || arm || mips || mipsle)

package guard

import "syscall"

// The older call, SYS_MMAP, takes its arguments in memory.
const mmap uintptr = syscall.SYS_MMAP2
