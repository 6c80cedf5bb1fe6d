/* From reset to main. The stack grows down from the end of the data memory. */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_top
    la a0, data_start
    la a1, data_end
    la a2, data_image
0:  bgeu a0, a1, 1f
    lw a3, 0(a2)
    sw a3, 0(a0)
    addi a0, a0, 4
    addi a2, a2, 4
    j 0b
1:  la a1, bss_end
2:  bgeu a0, a1, 3f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 2b
3:  call main
#ifdef MAIN_RETURNS
    /* Its value is the exit code. */
    call ctrl_exit
#endif
    /* A program that has ended still routes. */
4:  call tdma_next_phase
    j 4b
