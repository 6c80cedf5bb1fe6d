// The bus of a node around a core with a Wishbone bus (B4, classic cycles).
//
// A fetch is a read below 0x1000_0000, where the program is. As in node_native.v, the wrapper keeps
// a fetched wfi until the node wakes.
module node_wishbone (
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
    wire cyc, stb, we;
    wire [3:0] sel;
    reg asleep;
    wire sleeps = ready && !we && address < 32'h1000_0000 && read_data == WFI;
    rv32i_wishbone core (
        .clk_i(clock),
        .rst_i(reset),
        .cyc_o(cyc),
        .stb_o(stb),
        .we_o(we),
        .sel_o(sel),
        .adr_o(address),
        .dat_o(write_data),
        .dat_i(asleep ? NOP : read_data),
        .ack_i(asleep ? wake : ready && !sleeps),
        .trap_o(halted)
    );
    assign request = cyc && stb && !asleep;
    assign write_strobe = we ? sel : 4'd0;
    assign sleep = asleep;
    always @(posedge clock)
        if (reset) asleep <= 0;
        else asleep <= asleep ? !wake : sleeps;
endmodule

// The core rv32i as a Wishbone master. Put your own core in its place.
module rv32i_wishbone (
    input clk_i,
    input rst_i,
    output cyc_o,
    output stb_o,
    output we_o,
    output [3:0] sel_o,
    output [31:0] adr_o,
    output [31:0] dat_o,
    input [31:0] dat_i,
    input ack_i,
    output trap_o
);
    wire valid;
    wire [3:0] strobe;
    rv32i core (
        .clk(clk_i),
        .resetn(!rst_i),
        .trap(trap_o),
        .mem_valid(valid),
        .mem_instr(),
        .mem_ready(ack_i),
        .mem_addr(adr_o),
        .mem_wdata(dat_o),
        .mem_wstrb(strobe),
        .mem_rdata(dat_i)
    );
    assign cyc_o = valid;
    assign stb_o = valid;
    assign we_o = strobe != 0;
    assign sel_o = we_o ? strobe : 4'b1111;
endmodule
