/* Addresses in the torus of 4 x 2 (docs/torus.md): for each dimension, the number of channels to
 * cross. The coordinates of a node are bits 1:0 and bit 2 of its number. A channel leads to the
 * coordinate that is one less. */
#include "net.h"

unsigned net_address(uint8_t *bytes, unsigned from, unsigned to)
{
    bytes[0] = (from - to) & 3;
    bytes[1] = ((from >> 2) - (to >> 2)) & 1;
    return 2;
}
