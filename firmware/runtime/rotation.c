/* The header of minimal rotation on a cube of up to eight dimensions (docs/rotation.md):
 * the dimensions to be crossed, a bit for each. Which of them is first is decided by the
 * switch. */
#include "net.h"

unsigned net_address(uint8_t *bytes, unsigned from, unsigned to)
{
    bytes[0] = (uint8_t)(from ^ to);
    return 1;
}
