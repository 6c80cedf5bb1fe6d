// The node around its forwarder: its answer about the destination that the forwarder looks up.
//
// LINKS: links of the node. BITS: address width. CLASS: 0 for a cube; for a metacube the width of a class, 1 or 2.
// The class is the highest part of an address, and a node's highest links are its cross edges.

// Minimum number of cross edges for a message at a node of class `here` that must visit the classes `left` and end in
// the class `last`. All routes are tried. 15 means more than STEPS.
module fewest #(parameter STEPS = 5) (
    input wire [1:0]  here,
    input wire [3:0]  left,
    input wire [1:0]  last,
    output wire [3:0] edges
);
    wire [3:0] others = left & ~(4'd1 << here);
    wire       arrived = others == 0 && here == last;
    generate if (STEPS == 0) begin
        assign edges = arrived ? 4'd0 : 4'd15;
    end else begin
        wire [3:0] first, second;
        fewest #(STEPS - 1) by_first (.here(here ^ 2'd1), .left(others), .last(last), .edges(first));
        fewest #(STEPS - 1) by_second (.here(here ^ 2'd2), .left(others), .last(last), .edges(second));
        wire [3:0] less = first < second ? first : second;
        assign edges = arrived ? 4'd0 : less == 15 ? 4'd15 : less + 4'd1;
    end endgenerate
endmodule

module proof (
    input wire             clock,
    input wire             begin_,
    input wire [3:0]       dim,
    input wire             transmit,
    input wire             mute,
    input wire [BITS-1:0]  address,
    input wire [LINKS-1:0] level,
    input wire             hang,
    input wire             host_valid,
    input wire [7:0]       host_data
);
    parameter LINKS = `LINKS, BITS = `BITS, CLASS = `CLASS;
    // Links within a cluster, and bits of a field.
    localparam FIELD = LINKS - CLASS;
    scheduled_node dut (
        .clock(clock), .begin_(begin_), .dim(dim), .transmit(transmit), .mute(mute), .address(address),
        .level(level), .hang(hang), .host_valid(host_valid), .host_data(host_data)
    );
    (* of = "dut.forwarder_destination" *) wire [15:0] destination;
    (* of = "dut.forwarder_home" *) wire home;
    (* of = "dut.forwarder_wanted" *) wire wanted;

    // Classes of the node and of the destination, and the classes whose field differs.
    wire [BITS-1:0] differ = destination[BITS-1:0] ^ address;
    wire [1:0]      class = CLASS ? address >> BITS - CLASS : 0;
    wire [1:0]      last = CLASS ? destination[BITS-1:0] >> BITS - CLASS : 0;
    wire [3:0]      wrong;
    genvar c;
    generate for (c = 0; c < 4; c = c + 1) begin : classes
        assign wrong[c] = c < 1 << CLASS && (differ >> c * FIELD & (1 << FIELD) - 1) != 0;
    end endgenerate

    // Lowest bit in which the node's own field differs. If that field is right, the next link is a cross edge.
    wire [FIELD-1:0] own_field = differ >> class * FIELD;
    wire [15:0]      below = (16'd1 << dim) - 16'd1;
    wire             within = dim < FIELD && own_field[dim] && (own_field & below) == 0;
    wire             leaves = CLASS && own_field == 0 && differ != 0;
    // The cross edge begins a shortest route. Of two equally short routes the first is used. If only the lower bit of
    // the class is wrong, the second is used.
    wire [3:0] by_first, by_second;
    fewest first_path (.here(class ^ 2'd1), .left(wrong), .last(last), .edges(by_first));
    fewest second_path (.here(class ^ 2'd2), .left(wrong), .last(last), .edges(by_second));
    wire       second = CLASS == 2 && (by_second < by_first || (by_second == by_first && (class ^ last) == 1));
    wire       crosses = leaves && dim == FIELD + second;
    always @* begin
        at_home: assert (home == (differ == 0));
        next: assert (wanted == (within || crosses));
        if (CLASS == 2 && leaves) there_is_a_path: assert (by_first != 15 || by_second != 15);
    end
endmodule
