// These functions return at once, as they can on each processor.

TEXT ·mix(SB), 4, $0-24
	RET

TEXT ·mixLast(SB), 4, $0-8
	RET

TEXT ·mixBlock(SB), 4, $0-16
	RET

TEXT ·keepsPerhaps(SB), 4, $0-24
	RET
