// FemtoRV32 quark on the bench, as its author has it: with addresses of 24 bits.
module quark_small(
    input clk,
    input resetn,
    output [31:0] mem_addr,
    output [31:0] mem_wdata,
    output [3:0] mem_wmask,
    output mem_rstrb,
    input [31:0] mem_rdata
);
    FemtoRV32 core(
        .clk(clk),
        .reset(resetn),
        .mem_addr(mem_addr),
        .mem_wdata(mem_wdata),
        .mem_wmask(mem_wmask),
        .mem_rstrb(mem_rstrb),
        .mem_rdata(mem_rdata),
        .mem_rbusy(1'b0),
        .mem_wbusy(1'b0)
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
    wire reads;
    // It does not wait: it expects the word in the clock cycle in which `ready` comes.
    assign request = reads || write_strobe != 0;
    // It does not tell.
    assign retired = 1'b0;
    quark_small core(
        .clk(clock),
        .resetn(!reset),
        .mem_addr(address),
        .mem_wdata(write_data),
        .mem_wmask(write_strobe),
        .mem_rstrb(reads),
        .mem_rdata(read_data)
    );
endmodule
