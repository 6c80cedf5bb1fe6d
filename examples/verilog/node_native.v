// The bus of a node around a core with the bus of PicoRV32.
//
// The core knows no wfi. This wrapper recognises the instruction when it is fetched, keeps it until
// the node wakes, and then gives the core a no-op.
module node_native (
    input clock,
    input reset,
    input wake,
    output sleep,
    output request,
    output [31:0] address,
    output [31:0] write_data,
    output [3:0] write_strobe,
    input ready,
    input [31:0] read_data,
    output halted
);
    localparam WFI = 32'h1050_0073, NOP = 32'h0000_0013;
    wire valid, instr;
    reg asleep;
    wire sleeps = ready && instr && read_data == WFI;
    rv32i core (
        .clk(clock),
        .resetn(!reset),
        .trap(halted),
        .mem_valid(valid),
        .mem_instr(instr),
        .mem_ready(asleep ? wake : ready && !sleeps),
        .mem_addr(address),
        .mem_wdata(write_data),
        .mem_wstrb(write_strobe),
        .mem_rdata(asleep ? NOP : read_data)
    );
    assign request = valid && !asleep;
    assign sleep = asleep;
    always @(posedge clock)
        if (reset) asleep <= 0;
        else asleep <= asleep ? !wake : sleeps;
endmodule
