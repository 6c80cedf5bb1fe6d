/* Exchanges on links without answers (`--link raw`). For star_node.h only.
 *
 * A node does not learn whether its frame has arrived, so it repeats the latest frame for each
 * dimension in every superframe. A frame has the number of the exchange on its link. A receiver
 * distinguishes three cases:
 *
 *   the frame of an earlier exchange   the neighbour still computes: the receiver waits
 *   no valid frame                     the frame was damaged, or the neighbour is dead or has ended:
 *                                      the values are 0, the error is counted, and the program
 *                                      continues
 *   the frame of a later exchange      the neighbour has counted an error, and is ahead: the same
 *
 * Both ends of a link that an exchange uses send a frame, also without values. So neither gets more
 * than one exchange ahead. */
#ifndef STAR_RAW_H
#define STAR_RAW_H

/* Most bytes of values in a frame. */
#ifndef STAR_RAW_BYTES
#define STAR_RAW_BYTES 77
#endif

/* Words of a frame in the injection buffer: length, destination and number, then the values. */
#define STAR_RAW_WORDS ((STAR_RAW_BYTES + 3) / 4 + 1)
#define STAR_RAW_HEADER 3u /* bytes of destination and number */

/* Frames: one for each dimension, and one that is being written. */
static uint32_t star_raw_frames[STAR_DIMENSIONS + 1][STAR_RAW_WORDS];
static uint32_t *volatile star_raw_out[STAR_DIMENSIONS];
static uint32_t *star_raw_spare;
/* Number of the latest exchange on each link. */
static uint8_t star_raw_number[STAR_DIMENSIONS];
/* Dimensions whose frame has been sent at least once, one bit each. */
static volatile uint32_t star_raw_sent;
/* Not 0 after the program. */
static volatile int star_raw_over;

/* Sends the frame of the phase. The network calls this function in each phase, on the second context
 * of the core while the program computes. */
void tdma_on_phase(void)
{
    unsigned phase = port_read(PORT_PHASE_COUNTER), dim = phase >> 1;
    unsigned injection = message_buffer_injection();
    if (star_raw_over || (phase & 1) != (unsigned)star_coord((int)dim) || background_taken ||
        port_read(PORT_RX_STATUS) >> injection & 1)
        return;
    const uint32_t *word = star_raw_out[dim];
    const uint32_t *end = word + ((*word & WORD_LENGTH) + 4) / 4;
    port_write(PORT_DIM_SELECT, injection);
    do
        port_write(PORT_TX_DATA, *word++);
    while (word != end);
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

/* After the program the node is silent, so that no other node waits for it. */
static void star_raw_end(void)
{
    while (star_raw_sent != ~0u)
        tdma_next_phase();
    star_raw_over = 1;
    star_before_host();
}

enum { STAR_RAW_WAIT, STAR_RAW_TAKEN, STAR_RAW_LOST };

/* Examines the receive buffer of a dimension, and takes the values of this exchange. Frees a frame of
 * an earlier exchange. A frame of a later one remains. */
static int star_raw_look(star_ex_t *ex, unsigned dim)
{
    star_frame frame;
    if (!(port_read(PORT_RX_STATUS) >> dim & 1))
        return STAR_RAW_WAIT;
    uint32_t word = background_read(dim);
    int8_t ahead = (int8_t)((uint8_t)(word >> 24) - star_raw_number[dim]);
    if (ahead > 0)
        return STAR_RAW_LOST;
    if (!ahead) {
        unsigned words = ((word & WORD_LENGTH) + 4) / 4;
        for (unsigned i = 1; i < words; i++)
            frame.words[i - 1] = background_read(dim + i * SELECT_NEXT_WORD);
        star_take_frame(ex, dim, frame.bytes);
    }
    port_write(PORT_FULL, dim);
    return ahead ? STAR_RAW_WAIT : STAR_RAW_TAKEN;
}

/* Waits for the frame of a dimension. The neighbour sends in each of its phases, so a phase without a
 * frame is an error. */
static void star_raw_receive(star_ex_t *ex, unsigned dim)
{
    unsigned phase = 2 * dim + !star_coord((int)dim);
    int found;
    while ((found = star_raw_look(ex, dim)) == STAR_RAW_WAIT) {
        int ends = tdma_current_phase() == phase;
        tdma_next_phase();
        if (ends && !(port_read(PORT_RX_STATUS) >> dim & 1)) {
            found = STAR_RAW_LOST;
            break;
        }
    }
    if (found == STAR_RAW_LOST)
        star_take_nothing(ex, dim);
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
        while (!(star_raw_sent >> dim & 1))
            tdma_next_phase();
        star_raw_number[dim]++;
        star_raw_publish(dim, length);
        star_raw_receive(ex, dim);
    }
    star_exchanges++;
}

#endif
