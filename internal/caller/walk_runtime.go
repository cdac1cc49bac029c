//go:build go1.25 && gc && (amd64 || arm64) && !basin_portable

package caller

// Functions that Go compiles keep the address of their frame in a register, and save the register of
// their caller beside the return address. So the frames are a list, and the runtime walks it for its
// execution traces. hash and walk do the same. Each frame costs a nanosecond or less.
//
// They read nothing but the goroutine's own stack, whatever they find there:
//
//   - They follow a frame pointer only if it is above the one before and below the end of the stack. So
//     they end, and each load is from memory that exists. The first two words of a g are the bounds
//     of its stack; cgo relies on that, too. Go calls user code on no other stack than its goroutine's.
//   - The stack cannot move meanwhile: they call nothing, and assembly is never preempted.
//   - When the runtime moves a stack, it adjusts the frame pointers on it.
//
// Assembly or C code below a callback may have used that register for something else. Then the list
// ends early, or some words are no return addresses. That matters little: these words only identify a stack
// whose calls runtime.Callers has found. Where the list has other calls than runtime.Callers says, as in a build without
// frame pointers, verified turns it off.

// hash returns a hash of the n innermost return addresses, from that of its caller's frame on.
func hash(n int) uint64

// walk stores these addresses in dst, at most n, and returns their number.
//
//go:noescape
func walk(dst *uintptr, n int) int

// walks is whether this build has hash and walk.
const walks = true
