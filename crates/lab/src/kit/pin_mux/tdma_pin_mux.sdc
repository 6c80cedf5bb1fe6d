# SPDX-License-Identifier: MIT OR Apache-2.0
# From phasecube @VERSION@
#
# 25 MHz, the clock of this project's FPGA designs. Replace it by your clock, which must be at
# least 8 times the baud rate. `address` does not change. All other lines are synchronised
# inside, so their delays need no constraint.
create_clock -name clock -period 40.000 [get_ports {clock}]
