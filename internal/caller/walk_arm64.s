//go:build go1.25 && gc && !basin_portable

#include "textflag.h"

// See walk_runtime.go for the reason why this is sound. Neither function calls another, and neither
// has a frame, so R29 is the frame pointer of the caller.

// func hash(n int) uint64
TEXT ·hash(SB), NOSPLIT|NOFRAME, $0-16
	MOVD 8(g), R1 // the end of the stack
	SUB  $16, R1  // the last place of a frame pointer and a return address
	MOVD n+0(FP), R2
	MOVD $0x9e3779b97f4a7c15, R3
	MOVD $0, R0
	MOVD RSP, R4
	SUB  $16, R4 // the caller's frame pointer may be just below its stack pointer
	MOVD R29, R5

next:
	CMP  R4, R5
	BLS  done
	CMP  R1, R5
	BHI  done
	MOVD 8(R5), R6
	EOR  R6, R0
	MUL  R3, R0
	MOVD R5, R4
	MOVD (R5), R5
	SUBS $1, R2
	BNE  next

done:
	MOVD R0, ret+8(FP)
	RET

// func walk(dst *uintptr, n int) int
TEXT ·walk(SB), NOSPLIT|NOFRAME, $0-24
	MOVD 8(g), R1
	SUB  $16, R1
	MOVD dst+0(FP), R2
	MOVD n+8(FP), R3
	MOVD $0, R0
	MOVD RSP, R4
	SUB  $16, R4
	MOVD R29, R5

next:
	CMP  R3, R0
	BGE  done
	CMP  R4, R5
	BLS  done
	CMP  R1, R5
	BHI  done
	MOVD 8(R5), R6
	MOVD R6, (R2)(R0<<3)
	ADD  $1, R0
	MOVD R5, R4
	MOVD (R5), R5
	B    next

done:
	MOVD R0, ret+16(FP)
	RET
