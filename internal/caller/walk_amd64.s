//go:build go1.25 && gc && !basin_portable

#include "textflag.h"

// See walk_runtime.go for the reason why this is sound. Neither function calls another, and neither
// has a frame, so BP is the frame pointer of the caller.

// func hash(n int) uint64
TEXT ·hash(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ (TLS), AX
	MOVQ 8(AX), SI // the end of the stack
	SUBQ $16, SI   // the last place of a frame pointer and a return address
	MOVQ n+0(FP), CX
	MOVQ $0x9e3779b97f4a7c15, R8
	XORL AX, AX
	MOVQ SP, DX
	MOVQ BP, BX

next:
	CMPQ BX, DX
	JLS  done
	CMPQ BX, SI
	JHI  done
	XORQ 8(BX), AX
	IMULQ R8, AX
	MOVQ BX, DX
	MOVQ (BX), BX
	DECQ CX
	JNZ  next

done:
	MOVQ AX, ret+8(FP)
	RET

// func walk(dst *uintptr, n int) int
TEXT ·walk(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ (TLS), AX
	MOVQ 8(AX), SI
	SUBQ $16, SI
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	XORL AX, AX
	MOVQ SP, DX
	MOVQ BP, BX

next:
	CMPQ AX, CX
	JGE  done
	CMPQ BX, DX
	JLS  done
	CMPQ BX, SI
	JHI  done
	MOVQ 8(BX), R8
	MOVQ R8, (DI)(AX*8)
	INCQ AX
	MOVQ BX, DX
	MOVQ (BX), BX
	JMP  next

done:
	MOVQ AX, ret+16(FP)
	RET
