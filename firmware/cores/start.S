/* Start code from reset to main, in a memory that is loaded completely. Also the multiplication for
 * cores without a multiplier, in assembly like the compilers' own libraries. */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_top
    call main

    .section .text.__mulsi3, "ax"
    .globl __mulsi3
__mulsi3:
    mv a2, a0
    li a0, 0
0:  andi a3, a1, 1
    beqz a3, 1f
    add a0, a0, a2
1:  srli a1, a1, 1
    slli a2, a2, 1
    bnez a1, 0b
    ret
