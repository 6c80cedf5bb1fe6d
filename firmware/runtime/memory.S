/* Functions that compilers call to copy or clear more than a few words. */
    .section .text.memcpy, "ax"
    .weak memcpy
memcpy:
    mv t0, a0
0:  beqz a2, 1f
    lbu t1, 0(a1)
    sb t1, 0(t0)
    addi a1, a1, 1
    addi t0, t0, 1
    addi a2, a2, -1
    j 0b
1:  ret

    .section .text.memset, "ax"
    .weak memset
memset:
    mv t0, a0
0:  beqz a2, 1f
    sb a1, 0(t0)
    addi t0, t0, 1
    addi a2, a2, -1
    j 0b
1:  ret
