/* Controls a run of the nodes' program. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

/* Superframes without activity after which no further activity is expected. */
#ifndef REST
#define REST 192
#endif

/* Ends the active run, if there is one, and discards its reports and messages. */
void run_stop(void);

/* Starts all nodes from reset, if the program is complete and has the requested CRC. */
void run_start(void);

/* Handle the requests of these kinds. */
void run_send(void);
void run_finish(void);
void run_collect(void);
void run_status(void);
void run_where(void);

#endif
