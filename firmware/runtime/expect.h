/* Expectations for the next phase in a program that looks ahead. For internal use by the runtime.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include "node_port.h"
#include "links.h"

/* Increment of the phase in PHASE_CONFIG. */
#define ONE_PHASE (1u << 24)

/* Bits that differ in a phase that does not begin as expected. */
#define CONFIG_UNUSUAL (CONFIG_PHASE | CONFIG_DECIDED | CONFIG_REPEATS | CONFIG_DOWN)

/* Forces the compiler to compute a value here. Otherwise it computes the value after the next wait,
 * where there is no time. */
#define NOW(value) __asm__ volatile("" : "+r"(value))

/* Returns the next one of `links` links. */
static inline unsigned next_link(unsigned link, unsigned links)
{
    return link + 1 == links ? 0 : link + 1;
}

/* Returns whether the node sends in this phase of the two of a link. `bit` is the address bit that
 * the link inverts. `phase` is positioned as in PHASE_CONFIG. */
static inline int sends(uint32_t here, uint32_t bit, uint32_t phase)
{
    return !(here & bit) == !(phase & ONE_PHASE);
}

/* Returns to the host the message that a failed link would have sent. The message is reported as
 * unknown if the link was to repeat it, because it may have arrived. */
static inline void give_up(unsigned buffer, uint32_t config)
{
    port_write(PORT_DIM_SELECT, buffer);
    uint32_t why = config & CONFIG_REPEATS ? MOVE_UNKNOWN : MOVE_UNDELIVERED;
    port_write(PORT_MOVE, (config & CONFIG_PHASE) | why);
}

#endif
