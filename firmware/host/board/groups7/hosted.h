/* Board whose host is tested on a PC: a 7-cube in two groups that run programs. The real addresses are
 * in the window of the host; here the parts follow each other in a small memory. */
#define HOST_NODES 128
#define HOST_DIMS 7
#define HOST_PHASES 14
#define HOST_SLOTS 8
#define HOST_GROUPS 2
#define HOST_RING 64
#define HOST_RING_AT 0x4000
#define HOST_QUEUE_AT 0x8000
#define HOST_PROGRAM_AT 0xc000
#define HOST_PROGRAM_BYTES 2048
#define HOST_DATA_AT 0x10000
#define HOST_DATA_BYTES 512
