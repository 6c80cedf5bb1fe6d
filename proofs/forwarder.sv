// The forwarder of a node, with the memory and the buffers' flags around it.
//
// BITS: address width, 4 (one byte) or 12 (two).
module proof (
    input wire            clock,
    input wire            begin_,
    input wire            any_transmit,
    input wire            any_pending,
    input wire            any_down,
    input wire [3:0]      any_link,
    input wire            any_full,
    input wire            any_occupied,
    input wire            any_injected,
    input wire [15:0]     any_message,
    input wire [7:0]      any_data,
    input wire [3:0]      any_link_buffer,
    input wire [7:0]      any_turn,
    input wire            host_valid,
    input wire [7:0]      host_data
);
    parameter BITS = `BITS;
    localparam [4:0] LAST = 4, INJECTION = 4;
    // State numbers of the forwarder, and numbers of the reasons for a delivery to the host.
    localparam [2:0] DONE = 0, INJECT = 1, EXAMINE = 2, TURN = 3, HIGH_BYTE = 4, DELIVER = 5, DECIDE = 6, FETCH = 7;
    localparam [1:0] DELIVERED = 0, UNDELIVERED = 1, UNKNOWN = 2;

    // An arbitrary node, and one of its buffers.
    (* anyconst *) wire [BITS-1:0] node;
    (* anyconst *) wire [4:0]      buffer;

    // Inputs that are constant from the beginning of one phase to the next.
    reg       held_transmit = 0, held_pending = 0, held_down = 0, seen = 0;
    reg [3:0] held_link = 0, held_link_buffer = 0;
    reg [7:0] held_turn = 0;
    wire       transmit = begin_ ? any_transmit : held_transmit;
    wire       pending = begin_ ? any_pending : held_pending;
    wire       down = begin_ ? any_down : held_down;
    wire [3:0] link = begin_ ? any_link : held_link;
    // Buffer that stores the state of the link, and the stored turn.
    wire [3:0] link_buffer = begin_ ? any_link_buffer : held_link_buffer;
    wire [7:0] stored_turn = begin_ ? any_turn : held_turn;

    // State of the buffer: whether it is full, and the destination of its message.
    reg         held_full = 0;
    reg  [15:0] held_message = 0;
    wire        full = begin_ ? any_full : held_full;
    wire [15:0] message = begin_ ? any_message : held_message;
    wire [7:0]  low_at = {buffer[3:0], 4'd1}, high_at = {buffer[3:0], 4'd2};

    // E-cube uses the lowest dimension in which two addresses differ. It is applied to the destination that the
    // forwarder looks up, and to the message in the buffer.
    function [BITS-1:0] lowest;
        input [BITS-1:0] differ;
        lowest = differ & (~differ + 1'b1);
    endfunction
    wire [15:0]     destination;
    wire [BITS-1:0] differ = destination[BITS-1:0] ^ node;
    wire            home = differ == 0;
    wire            wanted = lowest(differ) == {{BITS-1{1'b0}}, 1'b1} << link;
    wire [BITS-1:0] to_go = message[BITS-1:0] ^ node;
    wire            at_home = to_go == 0;
    wire            wants = to_go[link] && (to_go & ((1 << link) - 1)) == 0;

    wire       busy, chosen, inject, release_, forget, out_valid, write_enable;
    wire [4:0] slot;
    wire [1:0] out_reason;
    wire [7:0] read_address, write_address, write_data;
    reg  [7:0] address = 0;
    wire [7:0] read_data = address == low_at ? message[7:0] : address == high_at ? message[15:8]
        : address == {link_buffer, 4'd12} ? stored_turn : any_data;
    forwarder dut (
        .clock(clock), .begin_(begin_), .transmit(transmit), .link_buffer({1'b0, link_buffer}),
        .injected(buffer == INJECTION ? full : any_injected),
        .occupied(slot == buffer ? full : any_occupied),
        .destination(destination), .home(home), .wanted(wanted), .pending(pending), .down(down),
        .busy(busy), .chosen(chosen), .slot(slot), .inject(inject), .release_(release_),
        .forget(forget), .host_valid(host_valid), .host_data(host_data), .out_valid(out_valid),
        .out_reason(out_reason), .memory_read_address(read_address), .memory_read_data(read_data),
        .memory_write_address(write_address), .memory_write_data(write_data), .memory_write_enable(write_enable)
    );

    always @(posedge clock) begin
        if (begin_) seen <= 1;
        held_transmit <= transmit;
        held_pending <= pending && !forget;
        held_down <= down;
        held_link <= link;
        held_link_buffer <= link_buffer;
        held_turn <= stored_turn;
        held_full <= inject && buffer == INJECTION || full && !(release_ && slot == buffer);
        held_message <= message;
        if (write_enable && write_address == low_at) held_message[7:0] <= write_data;
        if (write_enable && write_address == high_at) held_message[15:8] <= write_data;
        address <= read_address;
    end

    (* of = "dut.state" *) wire [2:0] state;
    (* of = "dut.reader.examined" *) wire [4:0] examined;
    (* of = "dut.turn" *) wire [4:0] turn;
    (* of = "dut.choice" *) wire [4:0] choice;
    (* of = "dut.has_chosen" *) wire has_chosen;
    (* of = "dut.before_turn" *) wire before_turn;
    (* of = "dut.reader.low" *) wire [7:0] low;
    (* of = "dut.reason" *) wire [1:0] reason;

    // Position of a buffer in the service order of a link with this turn: round-robin from the turn on.
    function [5:0] when_served;
        input [4:0] number, turn;
        when_served = number < turn ? number + 6'd32 : {1'b0, number};
    endfunction
    wire [4:0] its_turn = stored_turn & 7;
    wire repeats = transmit && pending;
    wire decided = seen && !busy && !begin_;

    always @* begin
        assume (buffer <= LAST);
        assume (link < BITS);
        // A chosen buffer is full, and e-cube routes its message over this link.
        if (decided && chosen && slot == buffer && !repeats)
            as_ecube: assert (transmit && full && wants);
        // If there is such a message, the first one from the turn on is sent.
        if (decided && full && wants && transmit && !pending && !down)
            first: assert (chosen && when_served(slot, its_turn) <= when_served(buffer, its_turn));
        // A link repeats the message in the buffer of its turn.
        if (decided && repeats && !down) again: assert (chosen && slot == its_turn);
        // No message remains in the node of its destination.
        if (decided && full) none_at_home: assert (!at_home);
        // The host gets a message for one of these reasons.
        if (out_valid && slot == buffer && !begin_) begin
            there: assert (full);
            if (out_reason == DELIVERED) delivered: assert (at_home);
            if (out_reason == UNDELIVERED) undelivered: assert (down && transmit && wants);
            if (out_reason == UNKNOWN) unknown: assert (down && repeats);
        end
        if (release_) released: assert (out_valid);
        // When a phase begins, the link inputs already belong to the new link, whose message to repeat must not be
        // removed.
        if (begin_) other_link: assert (!forget && !release_ && !out_valid);
        // A message from the host goes into an empty buffer.
        if (write_enable && buffer == INJECTION) room: assert (!held_full);
    end

    // The invariants refer to the current phase, or to a phase that is cut short in this clock cycle.
    wire [BITS-1:0] held_differ = held_message[BITS-1:0] ^ node;
    wire            held_home = held_differ == 0;
    wire            held_wants = held_differ[held_link] && (held_differ & ((1 << held_link) - 1)) == 0;
    wire            held_repeats = held_transmit && held_pending;
    wire delivers = state == FETCH || state == DELIVER;
    wire has_message = state == HIGH_BYTE || state == DECIDE || delivers;
    wire walks = state == EXAMINE || has_message;
    wire passed = walks ? buffer < examined : state == DONE && seen;
`ifndef CLAIM_ONLY
    always @* begin
        assert (reason <= UNKNOWN && turn <= 7 && choice <= 7);
        assert (seen || (state == DONE && !has_chosen));
        if (state != DONE) assert (examined <= LAST);
        if (state == DONE && has_chosen) assert (examined == choice);
        if (state == INJECT && buffer == INJECTION) assert (!held_full);
        if (state == INJECT || state == TURN) assert (examined == 0 && !before_turn);
        if (state == INJECT || (state == TURN && !has_chosen)) assert (!has_chosen && turn == 0);
        if (state == TURN) assert (held_transmit);
        if (state == TURN && has_chosen) assert (address == {held_link_buffer, 4'd12});
        if (state == HIGH_BYTE) assert (BITS > 8 && address == {examined[3:0], 4'd1});
        if (state == DECIDE && BITS <= 8) assert (address == {examined[3:0], 4'd1});
        if (state == DECIDE && BITS > 8) assert (address == {examined[3:0], 4'd2});
        if (state == DECIDE && BITS > 8 && examined == buffer) assert (low == held_message[7:0]);
        if (has_message && examined == buffer) assert (held_full);
        if (walks || (state == DONE && seen)) begin
            if (held_transmit) assert (turn == (held_turn & 7));
            if (held_repeats && !held_down) assert (has_chosen && choice == turn && !before_turn);
            if (!held_repeats && !held_down && has_chosen) begin
                assert (held_transmit && choice <= LAST && before_turn == (choice < turn));
                if (walks) assert (choice < examined);
                if (choice == buffer) assert (held_full && held_wants);
            end
            if (passed && held_full) assert (!held_home);
            if (passed && held_full && held_wants && held_transmit && !held_repeats && !held_down)
                assert (has_chosen && when_served(choice, turn) <= when_served(buffer, turn));
        end
        if (delivers) begin
            if (!held_down) assert (reason == DELIVERED);
            if (examined == buffer && reason == DELIVERED) assert (held_home);
            if (examined == buffer && reason == UNDELIVERED) assert (held_down && held_transmit && held_wants);
            if (examined == buffer && reason == UNKNOWN) assert (held_down && held_repeats);
        end
    end
`endif
endmodule
