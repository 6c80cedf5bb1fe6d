/* What a program that looks ahead expects of the phase that comes: for the runtime's own use. */
#ifndef EXPECT_H
#define EXPECT_H

#include "node_port.h"
#include "place.h"

/* One more, where PHASE_CONFIG has the phase. */
#define ONE_PHASE (1u << 24)

/* What differs in a phase that does not begin as usual. */
#define CONFIG_UNUSUAL (CONFIG_PHASE | CONFIG_DECIDED | CONFIG_REPEATS | CONFIG_DOWN)

/* Has the compiler compute a value here: it would do it behind the next wait, where it is needed
 * and there is no time. */
#define NOW(value) __asm__ volatile("" : "+r"(value))

/* The link after this one, of so many. */
static inline unsigned next_link(unsigned link, unsigned links)
{
    return link + 1 == links ? 0 : link + 1;
}

/* Whether the node sends in this phase of the two of a link, which inverts that bit of its address.
 * `phase` is where PHASE_CONFIG has it. */
static inline int sends(uint32_t here, uint32_t bit, uint32_t phase)
{
    return !(here & bit) == !(phase & ONE_PHASE);
}

/* Hands to the host what a link that is down would have sent: it may have arrived, if the link was
 * to repeat it. */
static inline void give_up(unsigned reg, uint32_t config)
{
    port_write(PORT_DIM_SELECT, reg);
    uint32_t why = config & CONFIG_REPEATS ? MOVE_UNKNOWN : MOVE_UNDELIVERED;
    port_write(PORT_MOVE, (config & CONFIG_PHASE) | why);
}

#endif
