// PicoRV32 on the bench. The core has no counters, and its register file has two read ports.
module picorv32_small(
    input clk,
    input resetn,
    output mem_valid,
    output mem_instr,
    input mem_ready,
    output [31:0] mem_addr,
    output [31:0] mem_wdata,
    output [3:0] mem_wstrb,
    input [31:0] mem_rdata,
    output trap
);
    picorv32 #(
        .ENABLE_COUNTERS(0),
        .ENABLE_COUNTERS64(0),
        .ENABLE_REGS_DUALPORT(1)
    ) core(
        .clk(clk),
        .resetn(resetn),
        .trap(trap),
        .mem_valid(mem_valid),
        .mem_instr(mem_instr),
        .mem_ready(mem_ready),
        .mem_addr(mem_addr),
        .mem_wdata(mem_wdata),
        .mem_wstrb(mem_wstrb),
        .mem_rdata(mem_rdata),
        .mem_la_read(),
        .mem_la_write(),
        .mem_la_addr(),
        .mem_la_wdata(),
        .mem_la_wstrb(),
        .pcpi_valid(),
        .pcpi_insn(),
        .pcpi_rs1(),
        .pcpi_rs2(),
        .pcpi_wr(1'b0),
        .pcpi_rd(32'b0),
        .pcpi_wait(1'b0),
        .pcpi_ready(1'b0),
        .irq(32'b0),
        .eoi(),
        .trace_valid(),
        .trace_data()
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
    // The core does not report retired instructions.
    assign retired = 1'b0;
    picorv32_small core(
        .clk(clock),
        .resetn(!reset),
        .mem_valid(request),
        .mem_instr(),
        .mem_ready(ready),
        .mem_addr(address),
        .mem_wdata(write_data),
        .mem_wstrb(write_strobe),
        .mem_rdata(read_data),
        .trap()
    );
endmodule
