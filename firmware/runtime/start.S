/* Start code from reset to main. On a board data and stack are in the 512 bytes from data_start on,
 * so that one upper immediate serves all their addresses. NODE_DATA_BYTES is the size of another
 * data memory. The stack grows down from the end of the memory. CONSTRUCTORS is defined for C++. */
    .section .start, "ax"
    .globl program_begin
program_begin:
#ifdef NODE_DATA_BYTES
    li sp, 0x10000000 + NODE_DATA_BYTES
    la a0, data_start
    la a1, data_end
    la a3, bss_end
    la a2, data_image
#else
    lui a0, %hi(data_start)
    addi sp, a0, %lo(stack_top)
    addi a1, a0, %lo(data_end)
    addi a3, a0, %lo(bss_end)
    addi a2, zero, %lo(data_image)
#endif
0:  beq a0, a1, 1f
    lw a4, 0(a2)
    sw a4, 0(a0)
    addi a0, a0, 4
    addi a2, a2, 4
    j 0b
1:  beq a0, a3, 2f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 1b
2:
#ifdef CONSTRUCTORS
    la s0, constructors
    la s1, constructors_end
3:  beq s0, s1, 4f
    lw a0, 0(s0)
    addi s0, s0, 4
    jalr a0
    j 3b
4:
#endif
    call main
#ifdef MAIN_RETURNS
    /* The return value is the exit code. A program that has ended still routes. */
    call ctrl_exit
#endif

#ifdef CONSTRUCTORS
/* Called to register destructors, which never run, because a node never ends. */
    .section .text.__cxa_atexit, "ax"
    .globl __cxa_atexit, __dso_handle
__cxa_atexit:
__dso_handle:
    li a0, 0
    ret

/* Called in place of a pure virtual function. An illegal instruction halts the core. */
    .section .text.__cxa_pure_virtual, "ax"
    .globl __cxa_pure_virtual
__cxa_pure_virtual:
    unimp
#endif
