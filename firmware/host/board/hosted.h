/* Board whose host is tested on a PC: a 3-cube that runs programs. For a real board this header is
 * generated. */
#define HOST_NODES 8
#define HOST_DIMS 3
#define HOST_PHASES 6
#define HOST_SLOTS 8
#define HOST_RING 16
#define HOST_RING_AT 0xf00
#define HOST_QUEUE_AT 0x1c00
#define HOST_PROGRAM_AT 0x1000
#define HOST_PROGRAM_BYTES 2048
#define HOST_DATA_AT 0x3000
#define HOST_DATA_BYTES 512
