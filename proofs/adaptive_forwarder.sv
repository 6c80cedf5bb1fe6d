// The forwarder of an adaptive node with its pool of slots and the surrounding message memory.
//
// DIMS: dimensions of the cube, 4 (one-byte destination) or 12 (two bytes). SLOTS: slots of the pool.
module proof (
    input wire            clock,
    input wire            begin_,
    input wire            any_transmit,
    input wire            any_pending,
    input wire [3:0]      any_link,
    input wire [DIMS-1:0] any_all_down,
    input wire [7:0]      any_turn,
    input wire [15:0]     any_message,
    input wire [15:0]     any_other,
    input wire [7:0]      any_data,
    input wire            engine_store,
    input wire            engine_free,
    input wire            engine_sent,
    input wire            engine_pending,
    input wire            host_valid,
    input wire [7:0]      host_data
);
    parameter DIMS = `DIMS, SLOTS = `SLOTS;
    localparam [4:0] LAST = SLOTS - 1, MASK = SLOTS > 8 ? 15 : 7;
    // State numbers of the forwarder, and numbers of the reasons for a delivery to the host.
    localparam [2:0] DONE = 0, INJECT = 1, EXAMINE = 2, TURN = 3, HIGH_BYTE = 4, DELIVER = 5, DECIDE = 6, FETCH = 7;
    localparam [1:0] DELIVERED = 0, UNDELIVERED = 1, UNKNOWN = 2;

    // An arbitrary node, and two arbitrary slots.
    (* anyconst *) wire [DIMS-1:0] node;
    (* anyconst *) wire [4:0]      mine;
    (* anyconst *) wire [4:0]      other;

    // Inputs that are constant from the beginning of one phase to the next: the link, and the slot whose message the
    // link must repeat.
    reg            held_transmit = 0, held_pending = 0, seen = 0;
    reg [3:0]      held_link = 0;
    reg [DIMS-1:0] held_all_down = 0;
    reg [7:0]      held_turn = 0;
    wire            transmit = begin_ ? any_transmit : held_transmit;
    wire            pending = begin_ ? any_pending : held_pending;
    wire [3:0]      link = begin_ ? any_link : held_link;
    wire [DIMS-1:0] all_down = begin_ ? any_all_down : held_all_down;
    wire [7:0]      turn = begin_ ? any_turn : held_turn;
    wire            down = all_down[link];
    wire            repeats = transmit && pending;

    // Occupied slots, and slots whose message a link must repeat.
    reg [SLOTS-1:0] full = 0, held = 0;
    function [3:0] ones;
        input [SLOTS-1:0] of;
        integer i;
        begin
            ones = 0;
            for (i = 0; i < SLOTS; i = i + 1) ones = ones + of[i];
        end
    endfunction
    wire crowded = SLOTS - ones(full) < 3;

    // Destinations of the messages in the two slots.
    reg  [15:0] held_message = 0, held_other = 0;
    wire [15:0] message = begin_ ? any_message : held_message;
    wire [15:0] other_message = begin_ ? any_other : held_other;
    wire [7:0]  low_at = {mine[3:0], 4'd1}, high_at = {mine[3:0], 4'd2};
    wire [7:0]  other_low_at = {other[3:0], 4'd1}, other_high_at = {other[3:0], 4'd2};
    wire [7:0]  turn_at = {link, 4'd12};

    wire       busy, chosen, inject, release_, forget, host_taken, out_valid, write_enable;
    wire [4:0] slot;
    wire [1:0] out_reason;
    wire [7:0] read_address, write_address, write_data;
    reg  [7:0] address = 0;
    wire [7:0] read_data = address == low_at ? message[7:0] : address == high_at ? message[15:8]
        : address == other_low_at ? other_message[7:0] : address == other_high_at ? other_message[15:8]
        : address == turn_at ? turn : any_data;
    wire occupied, is_held, is_crowded;
    adaptive_forwarder dut (
        .clock(clock), .begin_(begin_), .transmit(transmit), .dim(link),
        .select({{DIMS-1{1'b0}}, 1'b1} << link), .address(node), .crowded(is_crowded),
        .occupied(occupied), .held(is_held), .pending(pending), .down(down), .all_down(all_down),
        .busy(busy), .chosen(chosen), .slot(slot), .inject(inject), .release_(release_),
        .forget(forget), .host_valid(host_valid), .host_data(host_data), .host_taken(host_taken),
        .out_valid(out_valid), .out_reason(out_reason), .memory_read_address(read_address),
        .memory_read_data(read_data), .memory_write_address(write_address), .memory_write_data(write_data),
        .memory_write_enable(write_enable)
    );
    slot_pool pool (
        .clock(clock), .reset(1'b0), .at(slot), .occupied(occupied), .held(is_held), .crowded(is_crowded),
        .store(engine_store || inject), .free(engine_free || release_), .sent(engine_sent),
        .pending(engine_pending)
    );

    // The phase began with a frame to repeat; a message from the host may be taken; a message was dropped; the frame
    // engine has begun to change the chosen slot.
    reg recalled = 0, may_take = 0, gave_up = 0, acted = 0;
    reg decided_before = 0;
    reg [4:0] slot_before = 0;
    wire decided = seen && !busy && !begin_;
    integer p;
    always @(posedge clock) begin
        if (begin_) seen <= 1;
        held_transmit <= transmit;
        held_pending <= pending && !forget;
        held_link <= link;
        held_all_down <= all_down;
        held_turn <= turn;
        held_message <= message;
        held_other <= other_message;
        if (write_enable && write_address == low_at) held_message[7:0] <= write_data;
        if (write_enable && write_address == high_at) held_message[15:8] <= write_data;
        if (write_enable && write_address == other_low_at) held_other[7:0] <= write_data;
        if (write_enable && write_address == other_high_at) held_other[15:8] <= write_data;
        address <= read_address;
        for (p = 0; p < SLOTS; p = p + 1)
            if (slot == p) begin
                full[p] <= (full[p] || engine_store || inject) && !engine_free && !release_;
                held[p] <= (engine_sent ? engine_pending : held[p]) && !engine_free && !release_;
            end
        recalled <= begin_ ? repeats : recalled;
        may_take <= begin_ ? host_valid && !crowded : may_take && !inject;
        gave_up <= !begin_ && (gave_up || (release_ && out_reason == UNDELIVERED));
        acted <= !begin_ && (acted || engine_store || engine_free || engine_sent);
        decided_before <= decided;
        slot_before <= slot;
    end

    // Distance of the two messages from their destinations, and whether they come nearer over this link.
    wire [DIMS-1:0] to_go = message[DIMS-1:0] ^ node, other_to_go = other_message[DIMS-1:0] ^ node;
    wire            wants = to_go[link], other_wants = other_to_go[link];
    wire            stranded = (to_go & ~all_down) == 0;
    wire            free_to_go = full[mine] && !held[mine], other_free_to_go = full[other] && !held[other];
    wire            sends = transmit && !recalled && !down && !acted;

    always @* begin
        assume (mine <= LAST && other <= LAST && mine != other);
        assume (link < DIMS);
        // The frame engine waits for the forwarder.
        assume (!busy || !(engine_store || engine_free || engine_sent));

        // The pool reports the state of each slot.
        is_taken: assert (slot > LAST || occupied == full[slot]);
        must_be_repeated: assert (slot > LAST || is_held == held[slot]);
        counts: assert (is_crowded == crowded);
        // A link sends only messages that no link must repeat. The message comes nearer, or the node is crowded.
        if (decided && sends && chosen && slot == mine)
            as_ruled: assert (free_to_go && (wants || crowded));
        // If a message comes nearer, one is sent: the one with the smallest difference, of equal ones the first.
        if (decided && sends && other_free_to_go && other_wants) begin
            one_goes: assert (chosen);
            if (slot == mine)
                nearest: assert (wants && (to_go < other_to_go || (to_go == other_to_go && mine < other)));
        end
        // In desperation the message with the largest difference is sent, of equal ones the last.
        if (decided && sends && other_free_to_go && crowded) begin
            one_goes_all_the_same: assert (chosen);
            if (slot == mine && !wants)
                farthest: assert (to_go > other_to_go || (to_go == other_to_go && mine > other));
        end
        // A message without an answer is repeated. A link that is down sends nothing.
        if (decided && transmit && recalled && !down)
            repeated: assert (chosen && slot == (turn[4:0] & MASK));
        if (decided && transmit && down) nothing: assert (!chosen);
        // An incoming message gets the first free slot.
        if (decided && !transmit && !acted) begin
            if (chosen && slot == mine) empty: assert (!full[mine]);
            if (!chosen || other < slot) first: assert (full[other]);
        end
        // The choice is stable until the next phase.
        if (decided && decided_before) stays: assert (slot == slot_before);
        // No message remains in the node of its destination.
        if (decided && full[mine] && !acted) none_at_home: assert (to_go != 0);
        // The host gets a message for one of these reasons. Its slot is then free.
        if (out_valid && slot == mine && !begin_) begin
            there: assert (full[mine]);
            if (out_reason == DELIVERED) delivered: assert (to_go == 0);
            if (out_reason == UNDELIVERED)
                undelivered: assert (transmit && down && !recalled && free_to_go && stranded && !gave_up);
            if (out_reason == UNKNOWN) unknown: assert (down && repeats && slot == (turn[4:0] & MASK));
        end
        if (release_) released: assert (out_valid);
        if (forget) forgotten: assert (release_ && out_reason == UNKNOWN);
        // When a phase begins, the link inputs already belong to the new link, whose message to repeat must not be
        // removed.
        if (begin_) other_link: assert (!forget && !release_ && !out_valid);
        // A message without a usable link is dropped.
        if (decided && transmit && down && !recalled && !acted && free_to_go && stranded)
            dropped: assert (gave_up);
        // If there was room when the phase began, one message from the host goes into the first free slot.
        if (write_enable) begin
            may: assert (may_take && write_address[7:4] == slot);
            if (slot == mine) room: assert (!full[mine]);
            if (other < slot) first_room: assert (full[other]);
        end
        if (inject) taken: assert (write_enable && host_taken);
        if (decided && may_take && !acted) no_room: assert (full[mine]);
    end

    // The invariants refer to the current phase, or to a phase that is cut short in this clock cycle.
    (* of = "dut.state" *) wire [2:0] state;
    (* of = "dut.reader.examined" *) wire [4:0] examined;
    (* of = "dut.choice" *) wire [4:0] choice;
    (* of = "dut.has_chosen" *) wire has_chosen;
    (* of = "dut.is_wanted" *) wire is_wanted;
    (* of = "dut.difference" *) wire [DIMS-1:0] difference;
    (* of = "dut.takes" *) wire takes;
    (* of = "dut.reader.low" *) wire [7:0] low;
    (* of = "dut.reason" *) wire [1:0] reason;
    (* of = "pool.taken" *) wire [SLOTS-1:0] pool_taken;
    (* of = "pool.repeats" *) wire [SLOTS-1:0] pool_repeats;
    wire       held_down = held_all_down[held_link];
    wire       held_repeats = held_transmit && held_pending;
    wire [4:0] recall = held_turn[4:0] & MASK;
    wire       delivers = state == FETCH || state == DELIVER;
    wire       has_message = state == HIGH_BYTE || state == DECIDE || delivers;
    wire       walks = state == EXAMINE || state == INJECT || has_message;
    wire       under_way = walks || (state == DONE && seen);
`ifndef CLAIM_ONLY
    always @* begin
        assert (pool_taken == full && pool_repeats == held);
        assert (reason <= UNKNOWN && takes == may_take && choice <= MASK);
        assert (held_link < DIMS);
        assert (seen || (state == DONE && !has_chosen && !takes));
        assert (!acted || state == DONE);
        if (state != DONE) assert (examined <= LAST);
        if (state == DONE && has_chosen && !held_down) assert (examined == choice);
        if (decided_before && state == DONE) assert (examined == slot_before);
        if (state == INJECT) assert (!full[examined] && takes);
        if (state == TURN)
            assert (examined == 0 && is_wanted == has_chosen && difference == 0 && recalled && held_transmit);
        if (state == TURN && has_chosen) assert (address == {held_link, 4'd12});
        if (state == HIGH_BYTE) assert (DIMS > 8 && address == {examined[3:0], 4'd1});
        if (state == DECIDE) assert (address == {examined[3:0], DIMS > 8 ? 4'd2 : 4'd1});
        if (has_message) assert (full[examined]);
        if (under_way) begin
            if (!recalled) assert (!held_repeats);
            if (recalled)
                assert (held_transmit && has_chosen && is_wanted && difference == 0 && choice == recall);
            if (!recalled && !held_down && has_chosen) assert (choice <= LAST && (!walks || choice < examined));
            if (held_transmit && !recalled && !has_chosen) assert (!is_wanted && difference == 0);
            if (!held_transmit && has_chosen) assert (choice <= LAST && (!walks || choice < examined) && !takes);
            if (held_transmit && held_down && !recalled) begin
                assert (has_chosen == (gave_up || (delivers && reason == UNDELIVERED)));
                assert (!(gave_up && delivers && reason == UNDELIVERED));
            end
        end
        if (delivers && reason == UNDELIVERED) assert (held_transmit && held_down && !recalled);
        if (delivers && reason == UNKNOWN) assert (held_down && held_repeats && examined == recall);
    end
    // Invariants of each of the two slots.
    genvar w;
    generate for (w = 0; w < 2; w = w + 1) begin : watched
        wire [4:0]      it = w ? other : mine;
        wire [15:0]     its = w ? held_other : held_message;
        wire [DIMS-1:0] far = its[DIMS-1:0] ^ node;
        wire            goes = full[it] && !held[it];
        wire            goes_there = far[held_link];
        wire            goes_nowhere = (far & ~held_all_down) == 0;
        always @* begin
            if (state == DECIDE && DIMS > 8 && examined == it) assert (low == its[7:0]);
            if (under_way && !acted && has_chosen && choice == it && !recalled) begin
                if (held_transmit && !held_down)
                    assert (goes && is_wanted == goes_there && difference == far);
                if (!held_transmit) assert (!full[it]);
            end
            // Invariants after the slot has been visited.
            if (under_way && !acted && (!walks || it < examined)) begin
                if (full[it]) assert (far != 0);
                if (takes) assert (full[it]);
                if (held_transmit && !recalled && !held_down && goes) begin
                    assert (has_chosen);
                    if (goes_there)
                        assert (is_wanted && (difference < far || (difference == far && choice <= it)));
                    if (!is_wanted) assert (difference > far || (difference == far && choice >= it));
                end
                if (held_transmit && !recalled && held_down && goes && goes_nowhere) assert (has_chosen);
                if (!held_transmit && (!has_chosen || it < choice)) assert (full[it]);
            end
            if (delivers && examined == it) begin
                if (reason == DELIVERED) assert (far == 0);
                if (reason == UNDELIVERED) assert (goes && goes_nowhere);
            end
        end
    end endgenerate
`endif
endmodule
