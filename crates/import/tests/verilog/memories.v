// A clocked read port that returns the old word.
module read_first #(parameter W = 8, A = 4) (
    input clk, input we, input re, input [A-1:0] wa, input [A-1:0] ra, input [W-1:0] d,
    input rst, output reg [W-1:0] q, output reg [W-1:0] cleared, output reg [W-1:0] forced
);
    // A clocked read port serves one register.
    reg [W-1:0] mem [0:(1<<A)-1], second [0:(1<<A)-1], third [0:(1<<A)-1];
    initial cleared = 3;
    always @(posedge clk) begin
        if (we) mem[wa] <= d;
        if (we) second[ra] <= d;
        if (we) third[wa] <= d;
        if (re) q <= mem[ra];
        if (re) begin
            if (rst) cleared <= 2; else cleared <= second[wa];
        end
    end
    always @(posedge clk or posedge rst)
        if (rst) forced <= 1; else if (re) forced <= third[ra];
endmodule

// A clocked read port that returns the new word, by a register of the address.
module write_first #(parameter W = 8, A = 4) (
    input clk, input we, input [A-1:0] wa, input [A-1:0] ra, input [W-1:0] d,
    output [W-1:0] q
);
    reg [W-1:0] mem [0:(1<<A)-1];
    reg [A-1:0] address;
    always @(posedge clk) begin
        if (we) mem[wa] <= d;
        address <= ra;
    end
    assign q = mem[address];
endmodule

// Two clocked read ports, a masked write port, a size that is no power of two, and reset outputs.
module masked (
    input clk, input rst, input [3:0] we, input [4:0] wa, input [4:0] ra, input [4:0] rb, input [31:0] d,
    output reg [31:0] qa, output reg [31:0] qb
);
    reg [31:0] mem [0:19];
    integer i;
    initial begin
        for (i = 0; i < 20; i = i + 1) mem[i] = i * 32'h01020304;
        qb = 7;
    end
    always @(posedge clk) begin
        if (we[0]) mem[wa][7:0] <= d[7:0];
        if (we[1]) mem[wa][15:8] <= d[15:8];
        if (we[2]) mem[wa][23:16] <= d[23:16];
        if (we[3]) mem[wa][31:24] <= d[31:24];
        qa <= ra < 20 ? mem[ra] : 32'd0;
        if (rst) qb <= 9; else if (rb < 20) qb <= mem[rb];
    end
endmodule

// Asynchronous read ports.
module asynchronous #(parameter W = 5) (
    input clk, input we, input [2:0] wa, input [2:0] ra, input [2:0] rb, input [W-1:0] d,
    output [W-1:0] qa, output [W-1:0] qb
);
    reg [W-1:0] mem [0:7];
    initial begin mem[0] = 3; mem[5] = 9; end
    always @(posedge clk) if (we) mem[wa] <= d;
    assign qa = mem[ra];
    assign qb = mem[rb];
endmodule

// Two write ports, of which the second wins.
module two_writes (
    input clk, input rst, input wea, input web, input [2:0] wa, input [2:0] wb, input [2:0] ra,
    input [6:0] da, input [6:0] db, output reg [6:0] q, output reg [6:0] cleared, output [6:0] now
);
    reg [6:0] mem [0:7];
    always @(posedge clk) begin
        if (wea) mem[wa] <= da;
        if (web) mem[wb] <= db;
        q <= mem[ra];
        if (rst) cleared <= 5; else cleared <= mem[wb];
    end
    assign now = mem[ra];
endmodule

// A memory whose first address is not 0, and a table.
module offset (
    input clk, input we, input [4:0] wa, input [4:0] ra, input [7:0] d, output reg [7:0] q,
    input [3:0] row, output reg [7:0] entry
);
    reg [7:0] mem [8:23];
    always @(posedge clk) begin
        if (we) mem[wa] <= d;
        q <= ra >= 8 && ra < 24 ? mem[ra] : 8'd0;
    end
    always @*
        case (row)
            0: entry = 17;
            1: entry = 200;
            2: entry = 3;
            5: entry = 77;
            9: entry = 255;
            15: entry = 128;
            default: entry = 1;
        endcase
endmodule

// Two write ports of different bits, at different addresses, and a bit that is never written. One
// output shows the old word. The other one shows a word that is being written.
module parts #(parameter W = 9, A = 3) (
    input clk, input we, input [1:0] part, input [A-1:0] wa, input [A-1:0] wb, input [A-1:0] ra, input [W-1:0] d,
    output reg [W-1:0] old, output [W-1:0] now
);
    reg [W-1:0] mem [0:(1<<A)-1];
    reg [A-1:0] at;
    integer i;
    initial for (i = 0; i < (1 << A); i = i + 1) mem[i] = i * 57;
    always @(posedge clk) begin
        old <= mem[ra];
        at <= ra;
        if (we && part[0]) mem[wa][3:0] <= d[3:0];
        if (part[1]) mem[wb][W-2:4] <= d[W-2:4];
    end
    assign now = mem[at];
endmodule

// Strobes of parts of a word, within other conditions.
module strobes (
    input clk, input io, input we, input [1:0] strobe, input [2:0] a, input [15:0] d, output reg [15:0] q
);
    reg [15:0] mem [0:7];
    integer i;
    initial for (i = 0; i < 8; i = i + 1) mem[i] = i * 300;
    always @(posedge clk) begin
        q <= mem[a];
        if (io) begin
        end else if (we) begin
            if (strobe[0]) mem[a][7:4] <= d[7:4];
            if (strobe[1]) mem[a][15:8] <= d[15:8];
        end
    end
endmodule
