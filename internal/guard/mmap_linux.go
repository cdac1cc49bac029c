//go:build go1.25 && !(386 || arm || mips || mipsle || s390x)

package guard

import "syscall"

const mmap uintptr = syscall.SYS_MMAP
