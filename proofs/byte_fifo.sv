// The queue of the byte networks, with four slots.
module proof (
    input wire       clock,
    input wire [7:0] flit,
    input wire       push,
    input wire       pop
);
    wire       room, present;
    wire [7:0] front;

    byte_fifo dut (
        .clock(clock), .flit(flit), .push(push), .room(room), .present(present), .front(front),
        .pop(pop)
    );

    // Reference model of a queue: the positions of the next write and the next read.
    reg [2:0] written = 0, read = 0;
    reg [7:0] bytes_0, bytes_1, bytes_2, bytes_3;
    wire [2:0] count = written - read;
    always @(posedge clock) begin
        if (push) begin
            written <= written + 1;
            case (written[1:0])
                0: bytes_0 <= flit;
                1: bytes_1 <= flit;
                2: bytes_2 <= flit;
                3: bytes_3 <= flit;
            endcase
        end
        if (pop) read <= read + 1;
    end
    function [7:0] at;
        input [1:0] place;
        at = place == 0 ? bytes_0 : place == 1 ? bytes_1 : place == 2 ? bytes_2 : bytes_3;
    endfunction

    always @* begin
        // A push requires room, and a pop requires a byte.
        assume (!push || room);
        assume (!pop || present);
        has_room: assert (room == (count < 4));
        has_byte: assert (present == (count > 0));
        if (count > 0) in_order: assert (front == at(read[1:0]));
    end

    (* of = "dut.slots_0" *) wire [7:0] slot_0;
    (* of = "dut.slots_1" *) wire [7:0] slot_1;
    (* of = "dut.slots_2" *) wire [7:0] slot_2;
    (* of = "dut.slots_3" *) wire [7:0] slot_3;
    (* of = "dut.taken_0" *) wire taken_0;
    (* of = "dut.taken_1" *) wire taken_1;
    (* of = "dut.taken_2" *) wire taken_2;
    (* of = "dut.taken_3" *) wire taken_3;
`ifndef CLAIM_ONLY
    always @* begin
        assert (count <= 4);
        assert (taken_0 == (count > 0) && taken_1 == (count > 1));
        assert (taken_2 == (count > 2) && taken_3 == (count > 3));
        if (taken_0) assert (slot_0 == at(read[1:0]));
        if (taken_1) assert (slot_1 == at(read[1:0] + 2'd1));
        if (taken_2) assert (slot_2 == at(read[1:0] + 2'd2));
        if (taken_3) assert (slot_3 == at(read[1:0] + 2'd3));
    end
`endif
endmodule
