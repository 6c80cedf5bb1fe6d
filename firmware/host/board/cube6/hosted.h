/* Board whose host is tested on a PC: a 6-cube that runs programs. */
#define HOST_NODES 64
#define HOST_DIMS 6
#define HOST_PHASES 12
#define HOST_SLOTS 8
#define HOST_RING 64
#define HOST_RING_AT 0x1c00
#define HOST_QUEUE_AT 0x4000
#define HOST_PROGRAM_AT 0x1000
#define HOST_PROGRAM_BYTES 2048
#define HOST_DATA_AT 0x8000
#define HOST_DATA_BYTES 512
