// SERV on the bench. The core has no CSRs, and its registers are in a separate memory. If the
// number of bits per clock cycle is configurable, SERV_WIDTH sets it.
module serv_small(
    input clk,
    input i_rst,
    output [31:0] o_ibus_adr,
    output o_ibus_cyc,
    input [31:0] i_ibus_rdt,
    input i_ibus_ack,
    output [31:0] o_dbus_adr,
    output [31:0] o_dbus_dat,
    output [3:0] o_dbus_sel,
    output o_dbus_we,
    output o_dbus_cyc,
    input [31:0] i_dbus_rdt,
    input i_dbus_ack
);
`ifdef SERV_WIDTH
    serv_rf_top #(.WITH_CSR(0), .W(`SERV_WIDTH)) core(
`else
    serv_rf_top #(.WITH_CSR(0)) core(
`endif
        .clk(clk),
        .i_rst(i_rst),
        .i_timer_irq(1'b0),
        .o_ibus_adr(o_ibus_adr),
        .o_ibus_cyc(o_ibus_cyc),
        .i_ibus_rdt(i_ibus_rdt),
        .i_ibus_ack(i_ibus_ack),
        .o_dbus_adr(o_dbus_adr),
        .o_dbus_dat(o_dbus_dat),
        .o_dbus_sel(o_dbus_sel),
        .o_dbus_we(o_dbus_we),
        .o_dbus_cyc(o_dbus_cyc),
        .i_dbus_rdt(i_dbus_rdt),
        .i_dbus_ack(i_dbus_ack),
        .o_ext_rs1(),
        .o_ext_rs2(),
        .o_ext_funct3(),
        .i_ext_rd(32'b0),
        .i_ext_ready(1'b0),
        .o_mdu_valid()
    );
endmodule

module core_on_bench(
    input clock,
    input reset,
    output request,
    output retired,
    output [31:0] address,
    output [31:0] write_data,
    output [3:0] write_strobe,
    input ready,
    input [31:0] read_data
);
    wire [31:0] fetched, accessed;
    wire fetches, accesses, writes;
    wire [3:0] lanes;
    assign request = fetches || accesses;
    // The core does not report retired instructions.
    assign retired = 1'b0;
    assign address = fetches ? fetched : accessed;
    assign write_strobe = accesses && !fetches && writes ? lanes : 4'b0;
    serv_small core(
        .clk(clock),
        .i_rst(reset),
        .o_ibus_adr(fetched),
        .o_ibus_cyc(fetches),
        .i_ibus_rdt(read_data),
        .i_ibus_ack(ready && fetches),
        .o_dbus_adr(accessed),
        .o_dbus_dat(write_data),
        .o_dbus_sel(lanes),
        .o_dbus_we(writes),
        .o_dbus_cyc(accesses),
        .i_dbus_rdt(read_data),
        .i_dbus_ack(ready && !fetches)
    );
endmodule
