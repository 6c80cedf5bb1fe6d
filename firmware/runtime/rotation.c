/* Header of minimal rotation on a cube of up to eight dimensions (docs/rotation.md): the dimensions
 * to cross, one bit each. The switch chooses the first one. */
#include "net.h"

unsigned net_address(uint8_t *bytes, unsigned from, unsigned to)
{
    bytes[0] = (uint8_t)(from ^ to);
    return 1;
}
