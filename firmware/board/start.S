/* Start code from reset of the board to main. The memory is initialised with the image, so the code
 * neither copies nor clears it. */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_top
    call main
