// DMA copy unit between a soft node and its host, with buffers of 16 bytes.
//
// EMPTY: a message may have a length of 0, or 16.
module proof (
    input wire       clock,
    input wire       turn,
    input wire       take,
    input wire       deliver,
    input wire       legal,
    input wire       open,
    input wire [7:0] read_data,
    input wire       host_valid,
    input wire [7:0] host_data
);
    // State numbers of the unit.
    localparam [2:0] IDLE = 0, TAKE = 1, FETCH = 2, DELIVER = 3, DONE = 4;

    wire       taken, delivered, write_enable, host_taken, out_valid, out_last;
    wire [3:0] offset;
    dma_copy dut (
        .clock(clock), .turn(turn), .take(take), .deliver(deliver), .legal(legal), .open(open),
        .taken(taken), .delivered(delivered), .offset(offset), .write_enable(write_enable),
        .read_data(read_data), .host_valid(host_valid), .host_data(host_data),
        .host_taken(host_taken), .out_valid(out_valid), .out_last(out_last)
    );
    (* of = "dut.state" *) wire [2:0] state;
    (* of = "dut.index" *) wire [3:0] index;
    (* of = "dut.remaining" *) wire [3:0] remaining;

    // Reference model: the number of bytes copied, and the length from the first byte.
    wire       copies = write_enable | out_valid;
    wire [3:0] said = write_enable ? host_data[3:0] : read_data[3:0];
    reg  [3:0] copied = 0, length = 0;
    always @(posedge clock) begin
        if (state == IDLE) copied <= 0;
        else if (copies) copied <= copied + 1;
        if (copies && offset == 0) length <= said;
    end
    wire is_last = offset != 0 && offset == length;

    always @* begin
        if (copies && offset == 0) assume (`EMPTY || said != 0);
        if (copies) in_order: assert (offset == copied);
        if (write_enable) ends_when_taken: assert (taken == is_last && host_taken == is_last);
        if (out_valid) ends_when_delivered: assert (delivered == is_last && out_last == is_last);
        if (taken || delivered) once: assert (copies);
        // The byte that the unit treats as the last is never the first, so the unit does not check for this.
        not_the_first: assert (index != 0 || remaining != 1);
    end

`ifndef CLAIM_ONLY
    always @* begin
        assert (state <= DONE);
        if (state == IDLE || state == DONE || index == 0) assert (remaining == 0);
        if (state == TAKE || state == FETCH || state == DELIVER) begin
            assert (copied == index);
            if (index != 0) assert (remaining != 0 && {1'b0, index} + remaining == length + 5'd1);
        end
    end
`endif
endmodule
