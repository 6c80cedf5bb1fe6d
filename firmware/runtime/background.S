/* Second context of a core, which serves the network while the program computes. Both contexts begin
 * at address 0. The linker places this section there if a program calls tdma_background. */
    .section .start.background, "ax"
background_begin:
    lw t0, -156(zero) /* PORT_BACKGROUND: the number of the context */
    beqz t0, program_begin
    la sp, background_stack + 96
    la t0, background_function
    lw t0, 0(t0)
    jr t0

/* void background_release(void (*function)(void)): lets the second context run this function,
 * which never returns. */
    .globl background_release
background_release:
    la t0, background_function
    sw a0, 0(t0)
    sw zero, -156(zero)
    ret

    .section .bss.background, "aw", @nobits
    .balign 4
background_function:
    .zero 4
background_stack:
    .zero 96
