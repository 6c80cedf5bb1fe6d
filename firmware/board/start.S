/* From the start of the board to main. The memory is filled with the image, so
 * nothing is copied or cleared. */
    .section .start, "ax"
    .globl _start
_start:
    la sp, stack_top
    call main
