# SPDX-License-Identifier: MIT OR Apache-2.0
# From phasecube 0.1.0
#
# 25 MHz, the clock of this project's FPGA designs: put yours, at least 8 times the baud
# rate. `address` does not change; all other lines are synchronised inside: no delay of
# theirs needs a constraint.
create_clock -name clock -period 40.000 [get_ports {clock}]
