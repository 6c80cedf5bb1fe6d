/* Exchanges on links without answers (`--link raw`). For star_node.h only.
 *
 * A node does not learn whether its frame has arrived, so it repeats the latest frame for each
 * dimension in every superframe. A frame has the number of the exchange on its link. Both ends of a
 * link that an exchange uses send a frame, also without values. A receiver distinguishes:
 *
 *   the frame of an earlier exchange   the neighbour still computes: the receiver waits
 *   the frame of a later exchange      the frame of this one was lost: the values are 0, the error is
 *                                      counted, and the program continues
 *   an earlier one, and the program    the same, and the link is down for ever
 *   of the neighbour has ended
 *   no valid frame                     the frame was damaged, or the neighbour is dead
 *
 * A damaged frame may be the repetition of an earlier one. A neighbour keeps pace if its previous
 * frame arrived in one of the first STAR_RAW_PACE phases of the wait. A damaged frame in these phases
 * then counts as the frame of this exchange: the values are 0, and no time is lost. Otherwise the
 * receiver waits for the next valid frame. After STAR_RAW_SILENT phases without one it stops waiting
 * until one arrives.
 *
 * A neighbour that is two exchanges behind does not keep pace. After STAR_RAW_DOWN phases in a row
 * without a valid frame the link is down for ever. So the ends of a link are never 128 exchanges apart,
 * and the 8 bits of a number are unambiguous. */
#ifndef STAR_RAW_H
#define STAR_RAW_H

/* Most bytes of values in a frame. */
#ifndef STAR_RAW_BYTES
#define STAR_RAW_BYTES 77
#endif

/* Words of a frame in the injection buffer: length, destination and number, then the values. */
#define STAR_RAW_WORDS ((STAR_RAW_BYTES + 3) / 4 + 1)
#define STAR_RAW_ENDED (1u << 23) /* in the first word: no bit of an address */
#define STAR_RAW_HEADER 3u /* bytes of destination and number */

/* Phases in which a neighbour that keeps pace sends its frame. */
#define STAR_RAW_PACE 2

/* Successive phases of a neighbour without a valid frame after which an exchange does not wait for it,
 * and after which the link is down. */
#define STAR_RAW_SILENT 16
#define STAR_RAW_DOWN 100

/* Frames: one for each dimension, and one that is being written. */
static uint32_t star_raw_frames[STAR_DIMENSIONS + 1][STAR_RAW_WORDS];
/* NULL if the link is down. */
static uint32_t *volatile star_raw_out[STAR_DIMENSIONS];
static uint32_t *star_raw_spare;
/* Number of the latest exchange on each link. */
static uint8_t star_raw_number[STAR_DIMENSIONS];
/* Phases of each neighbour since its last valid frame, while this node waited. At most
 * STAR_RAW_DOWN. */
static uint8_t star_raw_silent[STAR_DIMENSIONS];
/* Dimensions whose neighbour keeps pace, one bit each. */
static uint32_t star_raw_paced;
/* Superframe in which the previous exchange on each link ended. */
static uint16_t star_raw_ended_at[STAR_DIMENSIONS];
/* Dimensions whose frame has been sent at least once, one bit each. */
static volatile uint32_t star_raw_sent;
/* STAR_RAW_ENDED after the program. */
static volatile uint32_t star_raw_ended;

/* Sends the frame of the phase. The network calls this function in each phase, on the second context
 * of the core while the program computes. */
void tdma_on_phase(void)
{
    unsigned phase = port_read(PORT_PHASE_COUNTER), dim = phase >> 1;
    unsigned injection = message_buffer_injection();
    if ((phase & 1) != (unsigned)star_coord((int)dim) || background_taken ||
        port_read(PORT_RX_STATUS) >> injection & 1)
        return;
    const uint32_t *word = star_raw_out[dim];
    if (!word)
        return;
    const uint32_t *end = word + ((*word & WORD_LENGTH) + 4) / 4;
    port_write(PORT_DIM_SELECT, injection);
    port_write(PORT_TX_DATA, *word++ | star_raw_ended);
    while (word != end)
        port_write(PORT_TX_DATA, *word++);
    port_write(PORT_FULL, FULL_SET | injection);
    star_raw_sent |= 1u << dim;
}

/* Replaces the frame of a dimension by the spare one, with this number of bytes of values. */
static void star_raw_publish(unsigned dim, unsigned length)
{
    unsigned longest = port_read(PORT_DIMENSIONS) >> DIMENSIONS_PAYLOAD_SHIFT & DIMENSIONS_PAYLOAD;
    unsigned neighbour = (unsigned)star_pid() ^ 1u << dim;
    uint32_t *old = star_raw_out[dim];
    length += STAR_RAW_HEADER;
    if (length > longest)
        star_fail(STAR_EXIT_CAPACITY);
    star_raw_spare[0] = length | neighbour << WORD_DESTINATION_SHIFT |
                        (uint32_t)star_raw_number[dim] << 24;
    /* The frame is complete before the network can send it. */
    __asm__ volatile("" ::: "memory");
    background_hold();
    star_raw_out[dim] = star_raw_spare;
    star_raw_sent &= ~(1u << dim);
    background_continue();
    star_raw_spare = old;
}

/* Before the first phase is decided. */
static void star_raw_begin(void)
{
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++)
        star_raw_out[dim] = star_raw_frames[dim];
    star_raw_spare = star_raw_frames[STAR_DIMENSIONS];
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++)
        star_raw_publish(dim, 0);
    star_raw_sent = ~0u;
}

/* Clock cycles of a phase in which a program begins to exchange a message with its host. */
#define STAR_RAW_HOST_CLOCKS 1000

/* A message of the host takes the injection buffer, from which the frame of the phase leaves. It waits
 * for the next phase if this phase may be decided meanwhile. */
static void star_before_host(void)
{
    if (port_read(PORT_CYCLE_COUNTER) > STAR_RAW_HOST_CLOCKS)
        tdma_next_phase();
}

/* After the program the node repeats its latest frames, so that no other node waits for it. */
static void star_raw_end(void)
{
    star_raw_ended = STAR_RAW_ENDED;
    star_before_host();
}

/* Ends a program that calls ctrl_exit() itself. */
__attribute__((noreturn)) STAR_MAYBE_UNUSED void star_raw_exit(int code)
{
    star_raw_end();
    ctrl_exit(code);
}
#define ctrl_exit(code) star_raw_exit(code)

enum { STAR_RAW_WAIT, STAR_RAW_TAKEN, STAR_RAW_LOST };

/* Examines the receive buffer of a dimension, and takes the values of this exchange. Frees a frame of
 * an earlier exchange. A frame of a later one remains. `phase` is that in which the neighbour sends.
 *
 * A new frame overwrites the buffer, and a damaged one empties it, while the core cannot access it. */
static int star_raw_look(star_ex_t *ex, unsigned dim, unsigned phase)
{
    star_frame frame;
    int is_open = tdma_current_phase() != phase;
    if (!(port_read(PORT_RX_STATUS) >> dim & 1))
        return STAR_RAW_WAIT;
    uint32_t word = background_read(dim);
    int8_t ahead = (int8_t)((uint8_t)(word >> 24) - star_raw_number[dim]);
    if (!ahead) {
        unsigned words = ((word & WORD_LENGTH) + 4) / 4;
        for (unsigned i = 1; i < words; i++)
            frame.words[i - 1] = background_read(dim + i * SELECT_NEXT_WORD);
        /* Another frame has arrived meanwhile. */
        if (background_read(dim) != word || !(port_read(PORT_RX_STATUS) >> dim & 1))
            return STAR_RAW_WAIT;
        star_take_frame(ex, dim, frame.bytes);
    }
    star_raw_silent[dim] = 0;
    /* The exchange before this one ended without its frame. */
    if (ahead < -1)
        star_raw_paced &= ~(1u << dim);
    if (ahead > 0)
        return STAR_RAW_LOST;
    /* Nothing follows. */
    if (ahead && word & STAR_RAW_ENDED) {
        star_raw_silent[dim] = STAR_RAW_DOWN;
        return STAR_RAW_LOST;
    }
    /* In the neighbour's phase this could free the frame that arrives. */
    if (!ahead || is_open)
        port_write(PORT_FULL, dim);
    return ahead ? STAR_RAW_WAIT : STAR_RAW_TAKEN;
}

/* Waits for the frame of a dimension, or until it counts as lost. */
static void star_raw_receive(star_ex_t *ex, unsigned dim)
{
    unsigned phase = 2 * dim + !star_coord((int)dim), phases = 0;
    uint32_t bit = 1u << dim;
    int found;
    while ((found = star_raw_look(ex, dim, phase)) == STAR_RAW_WAIT) {
        int ends = tdma_current_phase() == phase;
        tdma_next_phase();
        if (!ends)
            continue;
        phases++;
        if (port_read(PORT_RX_STATUS) >> dim & 1)
            continue;
        if (star_raw_silent[dim] < STAR_RAW_DOWN)
            star_raw_silent[dim]++;
        int keeps_pace = phases <= STAR_RAW_PACE && star_raw_paced & bit;
        if (keeps_pace || star_raw_silent[dim] >= STAR_RAW_SILENT) {
            found = STAR_RAW_LOST;
            break;
        }
    }
    if (found == STAR_RAW_LOST)
        star_take_nothing(ex, dim);
    star_raw_ended_at[dim] = (uint16_t)port_read(PORT_FRAME_COUNT);
    if (phases > STAR_RAW_PACE)
        star_raw_paced &= ~bit;
    else if (found == STAR_RAW_TAKEN)
        star_raw_paced |= bit;
    if (star_raw_silent[dim] == STAR_RAW_DOWN) {
        star_raw_out[dim] = NULL;
        star_raw_sent |= bit;
    }
}

/* Waits for one phase of the neighbour if a damaged frame has emptied the buffer while the program
 * computed. The neighbour may wait with a frame that is gone after this node's frame. */
static void star_raw_catch_up(unsigned dim)
{
    unsigned phase = 2 * dim + !star_coord((int)dim);
    uint16_t passed = (uint16_t)(port_read(PORT_FRAME_COUNT) - star_raw_ended_at[dim]);
    if (passed < 2 || star_raw_silent[dim] >= STAR_RAW_SILENT)
        return;
    for (int ended = 0; !ended && !(port_read(PORT_RX_STATUS) >> dim & 1);) {
        ended = tdma_current_phase() == phase;
        tdma_next_phase();
    }
}

/* Executes an exchange, as in star_node.h. */
STAR_MAYBE_UNUSED void star_ex_execute(star_ex_t *ex)
{
    star_operation *end = ex->operations + ex->count;
    for (star_operation *operation = ex->operations; operation != end; operation++)
        star_begin(operation);
    for (unsigned dim = 0; dim < STAR_DIMENSIONS; dim++) {
        uint8_t *bytes = (uint8_t *)(star_raw_spare + 1);
        unsigned length = 0;
        int used = 0;
        for (star_operation *operation = ex->operations; operation != end; operation++) {
            const void *sent = star_sent(operation, dim);
            used |= sent || star_receives(operation, dim);
            if (!sent)
                continue;
            if (length + operation->size > STAR_RAW_BYTES)
                star_fail(STAR_EXIT_CAPACITY);
            star_copy(bytes + length, sent, operation->size);
            length += operation->size;
        }
        if (!used)
            continue;
        if (!star_raw_out[dim]) {
            star_take_nothing(ex, dim);
            continue;
        }
        while (!(star_raw_sent >> dim & 1))
            tdma_next_phase();
        star_raw_catch_up(dim);
        star_raw_number[dim]++;
        star_raw_publish(dim, length);
        star_raw_receive(ex, dim);
    }
    star_exchanges++;
}

#endif
