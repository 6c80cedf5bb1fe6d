// The core rv32i with a memory of its own: 4 KB at address 0, which hold program and data.
//
// A store to 0x1000_0000 shows the word at `out` from the next clock cycle on, and inverts `toggle`.
module soc (
    input clk,
    output reg [31:0] out,
    output reg toggle,
    output trap
);
    initial out = 0;
    initial toggle = 0;

    // Reset in the first clock cycles.
    reg [1:0] started = 0;
    always @(posedge clk) started <= {started[0], 1'b1};

    wire valid, instr;
    wire [31:0] address, write_data;
    wire [3:0] strobe;
    reg ready = 0;
    reg [31:0] read_data;
    rv32i core (
        .clk(clk),
        .resetn(started[1]),
        .trap(trap),
        .mem_valid(valid),
        .mem_instr(instr),
        .mem_ready(ready),
        .mem_addr(address),
        .mem_wdata(write_data),
        .mem_wstrb(strobe),
        .mem_rdata(read_data)
    );

    // A word is ready one clock cycle after its request.
    reg [31:0] memory [0:1023];
    wire begins = valid && !ready && started[1];
    wire write = begins && !address[28];
    wire [9:0] index = address[11:2];
    always @(posedge clk) begin
        ready <= begins;
        read_data <= memory[index];
        if (write && strobe[0]) memory[index][7:0] <= write_data[7:0];
        if (write && strobe[1]) memory[index][15:8] <= write_data[15:8];
        if (write && strobe[2]) memory[index][23:16] <= write_data[23:16];
        if (write && strobe[3]) memory[index][31:24] <= write_data[31:24];
        if (begins && address[28] && strobe != 0) begin
            out <= write_data;
            toggle <= !toggle;
        end
    end
endmodule
