/* A run of the nodes' program. */
#ifndef RUN_H
#define RUN_H

#include <stdint.h>

/* Superframes without a move after which nothing is expected to move any more. */
#ifndef REST
#define REST 192
#endif

/* Ends what runs, if anything does. What it has told and was given is forgotten. */
void run_stop(void);

/* All nodes begin at reset, if the program is whole and has the CRC that is asked for. */
void run_start(void);

/* What requests of these kinds are told. */
void run_send(void);
void run_finish(void);
void run_collect(void);
void run_status(void);
void run_where(void);

#endif
