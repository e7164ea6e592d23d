#include "textflag.h"

// func prefetch(lookups *[BatchSize]lookup, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ lookups+0(FP), AX
	MOVQ n+8(FP), CX
	TESTQ CX, CX
	JZ   done
next:
	MOVQ (AX), DX
	PREFETCHT0 (DX)
	ADDQ $24, AX
	DECQ CX
	JNZ  next
done:
	RET

// A slot equals the word if both of its halves do. SSE2 compares halves: the
// packs make a byte of each, and PMOVMSKB a bit of each byte. Word 7 is no slot.
//
// func match(lookups *[BatchSize]lookup, masks *[BatchSize]uint16, n int)
TEXT ·match(SB), NOSPLIT, $0-24
	MOVQ lookups+0(FP), AX
	MOVQ masks+8(FP), BX
	MOVQ n+16(FP), CX
	TESTQ CX, CX
	JZ   done
next:
	MOVQ (AX), DX
	MOVQ 8(AX), X0
	PUNPCKLQDQ X0, X0
	MOVOU (DX), X1
	MOVOU 16(DX), X2
	MOVOU 32(DX), X3
	MOVOU 48(DX), X4
	PCMPEQL X0, X1
	PCMPEQL X0, X2
	PCMPEQL X0, X3
	PCMPEQL X0, X4
	PACKSSLW X2, X1
	PACKSSLW X4, X3
	PACKSSWB X3, X1
	PMOVMSKB X1, R8
	MOVL R8, R9
	SHRL $1, R9
	ANDL R9, R8
	ANDL $0x1555, R8
	MOVW R8, (BX)
	ADDQ $24, AX
	ADDQ $2, BX
	DECQ CX
	JNZ  next
done:
	RET
