// Every operator of Verilog except division, unsigned and signed, on operands of different widths.
module operators #(parameter A = 8, B = 5, Y = 12) (
    input [A-1:0] a,
    input [B-1:0] b,
    input [B-1:0] c,
    input s,
    output [20*Y-1:0] words,
    output [20*Y-1:0] signed_words,
    output [29:0] bits
);
    wire signed [A-1:0] sa = a;
    wire signed [B-1:0] sb = b;
    wire [Y-1:0] w [0:19];
    wire signed [Y-1:0] v [0:19];
    assign w[0] = a + b;
    assign w[1] = a - b;
    assign w[2] = a * b;
    assign w[3] = a + b * c;
    assign w[4] = s - a;
    assign w[5] = a & b;
    assign w[6] = a | b;
    assign w[7] = a ^ b;
    assign w[8] = a ~^ b;
    assign w[9] = ~a;
    assign w[10] = -a;
    assign w[11] = a << b;
    assign w[12] = a >> b;
    assign w[13] = a <<< b[1:0];
    assign w[14] = a >>> b;
    assign w[15] = s ? a : b;
    assign w[16] = {b, a};
    assign w[17] = {3{b}};
    assign w[18] = {a, b, c} >> c;
    assign w[19] = a + {B{1'b0}} - c * b;
    assign v[0] = sa + sb;
    assign v[1] = sa - sb;
    assign v[2] = sa * sb;
    assign v[3] = sa - sb * sb;
    assign v[4] = s ? -sa : sa - 1;
    assign v[5] = sa & sb;
    assign v[6] = sa | sb;
    assign v[7] = sa ^ sb;
    assign v[8] = sa ~^ sb;
    assign v[9] = ~sa;
    assign v[10] = -sa;
    assign v[11] = sa << b;
    assign v[12] = sa >> b;
    assign v[13] = sa <<< b[1:0];
    assign v[14] = sa >>> b;
    assign v[15] = s ? sa : sb;
    assign v[16] = sa;
    assign v[17] = sb >>> 1;
    assign v[18] = sa >>> c;
    assign v[19] = sa * sb + sa;
    genvar i;
    generate
        for (i = 0; i < 20; i = i + 1) begin : packed_words
            assign words[i*Y +: Y] = w[i];
            assign signed_words[i*Y +: Y] = v[i];
        end
    endgenerate
    assign bits = {
        a == b, a != b, a < b, a <= b, a > b, a >= b,
        sa == sb, sa != sb, sa < sb, sa <= sb, sa > sb, sa >= sb,
        &a, |a, ^a, ~&a, ~|a, ~^a,
        !a, a && b, a || b, a === b, a !== b,
        sa < 0, $signed(b) >= -1, sa == -1, a[0], a[A-1], s, ^{a, b, c}
    };
endmodule

// Selections by a variable index, inside and outside the word.
module selections #(parameter A = 13, I = 4) (
    input [A-1:0] a,
    input [I-1:0] i,
    input signed [I-1:0] j,
    input [3:0] d,
    output one,
    output [3:0] part,
    output [3:0] down,
    output reg [A-1:0] with_bit,
    output reg [A-1:0] with_part,
    output reg [7:0] decoded,
    output reg [3:0] chosen
);
    assign one = i < A ? a[i] : 1'b0;
    assign part = i + 3 < A ? a[i +: 4] : 4'd0;
    assign down = i >= 3 && i < A ? a[i -: 4] : 4'd0;
    always @* begin
        with_bit = a;
        if (i < A) with_bit[i] = d[0];
        with_part = a;
        if (i + 3 < A) with_part[i +: 4] = d;
        decoded = 0;
        decoded[d[2:0]] = 1;
        casez ({i[0], d})
            5'b1????: chosen = 1;
            5'b01??1: chosen = 2;
            5'b0011?: chosen = d + 3;
            5'b00000: chosen = j;
            default: chosen = ~d;
        endcase
    end
endmodule

// Quotients and remainders, also of a division by zero.
module divisions #(parameter A = 8, B = 5, Y = 12) (
    input [A-1:0] a,
    input [B-1:0] b,
    output [Y-1:0] quotient,
    output [Y-1:0] remainder,
    output signed [Y-1:0] signed_quotient,
    output signed [Y-1:0] signed_remainder
);
    wire signed [A-1:0] sa = a;
    wire signed [B-1:0] sb = b;
    assign quotient = a / b;
    assign remainder = a % b;
    assign signed_quotient = sb == -1 ? 0 : sa / sb;
    assign signed_remainder = sb == -1 ? 0 : sa % sb;
endmodule
