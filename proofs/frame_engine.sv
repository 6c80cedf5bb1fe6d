// The frame engine of a node with answers, for any inputs from UART, memory and forwarder.
//
// PHASE: minimum number of clock cycles of a phase. PAYLOAD: maximum payload of a frame in bytes.
module proof (
    input wire        clock,
    input wire        begin_,
    input wire        transmit,
    input wire        second,
    input wire        mute,
    input wire [15:0] sender,
    input wire        ready,
    input wire        send,
    input wire [4:0]  slot,
    input wire [2:0]  crossed,
    input wire [4:0]  link_buffer,
    input wire        full,
    input wire [4:0]  after_nak,
    input wire        forget,
    input wire        tx_ready,
    input wire [7:0]  rx_data,
    input wire        rx_valid,
    input wire [7:0]  read_data
);
    // Numbers of the steps, of the records about a link and of the outcomes of frames in the engine.
    localparam [2:0] LENGTH = 2, CRC = 3, IDLE = 4, AWAIT_ANSWER = 5, PAYLOAD_STEP = 6, ANSWER = 7;
    localparam [1:0] NOTHING = 0, TIMEOUTS = 1, TURN = 2;
    localparam [1:0] ACCEPTED = 3;
    localparam [2:0] REPEAT = 3, NAK = 4, STORED = 5;
    // The state of a link is stored after the message.
    localparam [3:0] STATE = 12;

    wire [1:0] select = second ? 2'b10 : 2'b01;
    wire       store, free, drive, write_enable;
    wire [1:0] sent;
    wire [2:0] received;
    wire [7:0] write_address;
    frame_engine dut (
        .clock(clock), .reset(1'b0), .begin_(begin_), .transmit(transmit), .dim({3'd0, second}),
        .select(select),
        .mute(mute), .sender(sender), .ready(ready), .send(send), .slot(slot), .crossed(crossed),
        .link_buffer(link_buffer), .full(full), .after_nak(after_nak), .forget(forget), .store(store),
        .free(free), .sent(sent), .received(received), .drive(drive), .tx_ready(tx_ready),
        .rx_data(rx_data), .rx_valid(rx_valid), .memory_read_data(read_data),
        .memory_write_address(write_address), .memory_write_enable(write_enable)
    );
    (* of = "dut.walk.step" *) wire [2:0] step;
    (* of = "dut.walk.check.is_nak" *) wire nak;
    (* of = "dut.walk.check.is_repeat" *) wire repeated;
    (* of = "dut.walk.message_byte" *) wire [3:0] offset;
    (* of = "dut.walk.remaining" *) wire [3:0] remaining;
    (* of = "dut.links.current_record" *) wire [1:0] record;
    (* of = "dut.links.expectations.bits_of_links" *) wire [1:0] expected;
    (* of = "dut.links.sequences.bits_of_links" *) wire [1:0] sequence_;
    (* of = "dut.timer.elapsed" *) wire [15:0] elapsed;
    (* of = "dut.timer.running" *) wire running;
    (* of = "dut.walk.check.wrong_so_far" *) wire wrong_so_far;
    // A bit of the answer passes the CRC register, and its expected value.
    (* of = "dut.walk.crc.busy" *) wire bit_comes;
    (* of = "dut.walk.crc.bit_" *) wire bit_;
    (* of = "dut.walk.crc.top" *) wire bit_of_crc;
    (* of = "dut.walk.crc.count" *) wire [2:0] bit_number;

    reg        past = 0, past_transmit, past_second, past_full, past_store, past_free, past_begin = 0;
    reg [4:0]  past_link_buffer;
    reg [1:0]  past_select, past_expected, past_sequence;
    reg [15:0] since = `PHASE;
    always @(posedge clock) begin
        past          <= 1;
        past_begin    <= begin_;
        past_transmit <= transmit;
        past_second   <= second;
        past_link_buffer      <= link_buffer;
        past_full     <= full;
        past_store    <= store;
        past_free     <= free;
        past_select   <= select;
        past_expected <= expected;
        past_sequence <= sequence_;
        since         <= begin_ ? 1 : since < `PHASE ? since + 1 : since;
    end

    // Number of bits of the answer received, and whether one of them differed from the frame's CRC.
    reg [4:0] answer_bits = 0;
    reg       differs = 0;
    always @(posedge clock) begin
        if (step == AWAIT_ANSWER) begin
            answer_bits <= 0;
            differs     <= 0;
        end else if (step == ANSWER && transmit && bit_comes) begin
            answer_bits <= answer_bits + 1;
            differs     <= differs || bit_ != bit_of_crc;
        end
    end

    always @* begin
        // No phase is cut short. Link, direction and buffer change only with a phase.
        assume (!begin_ || since >= `PHASE);
        assume (begin_ || !past || (transmit == past_transmit && second == past_second && link_buffer == past_link_buffer));
        // During a phase a buffer becomes full only when the engine stores a message.
        assume (begin_ || !past || !full || past_full || past_store);

        // Only the state of the link, after the message, is written in a full buffer.
        if (write_enable) begin
            in_link_buffer: assert (write_address[7:4] == link_buffer[3:0]);
            full_unchanged: assert (!full || write_address[3:0] >= STATE);
            state_unchanged: assert (record != NOTHING || write_address[3:0] <= `PAYLOAD);
        end
        if (store) never_on_full: assert (!full && !transmit);
        // A message is stored if and only if the next expected sequence bit flips.
        if (past) begin
            one_step: assert ((past_expected ^ expected) == (past_store ? past_select : 2'b00));
            freed_once: assert ((past_sequence ^ sequence_) == (past_free ? past_select : 2'b00));
        end
        // A buffer is freed only by an ACK.
        if (free) by_ack: assert (sent == ACCEPTED && answer_bits == 16 && !differs);
        if (drive && !transmit && step == ANSWER) begin
            // A node answers only after it has received a frame. It sends a NAK only for a new frame, which it has
            // not stored.
            has_result: assert (received == REPEAT || received == NAK || received == STORED);
            nak_is_nak: assert (nak == (received == NAK));
            repeat_is_had: assert (received != NAK || !repeated);
        end
    end

`ifdef CLAIM_ONLY
    // A counter-example is found sooner within a single phase in which bytes arrive as fast as they are taken.
    always @* begin
        assume (begin_ == !past && !mute && ready && tx_ready && rx_valid);
        assume (sender == 0 && !second && link_buffer == 0);
    end
`else
    // Position of received bytes, and timing of the engine.
    always @* begin
        assert (since >= 1 && since <= `PHASE);
        if (running) assert (since < `PHASE && elapsed == since && elapsed <= `ANSWER_CLOSE);
        else assert (elapsed == 0 || elapsed == `ANSWER_CLOSE + 1);
        if (record == TIMEOUTS) assert (!running && since == `ANSWER_CLOSE + 1);
        if (record == TURN) assert (running ? elapsed == `FRAME_OPEN + 1 && sent != ACCEPTED : since == `ANSWER_CLOSE + 2);
        if (step != IDLE) assert (running && elapsed > `FRAME_OPEN);
        assert (record <= TURN);
        if (record != NOTHING) assert (step == IDLE);
        if (sent == ACCEPTED) assert (since > `ANSWER_OPEN);
        if (sent == ACCEPTED && step != AWAIT_ANSWER) assert (answer_bits == 16 && !differs);
        if (sent == ACCEPTED) assert (step != AWAIT_ANSWER && step != ANSWER);
        if (transmit && (step == AWAIT_ANSWER || step == ANSWER)) assert (remaining == 2 || (remaining == 1 && step == ANSWER));
        if (transmit && step == ANSWER) begin
            assert (answer_bits == (remaining == 2 ? 0 : 8) + (bit_comes ? bit_number : 0));
            assert (!differs || nak || wrong_so_far);
            assert (!differs || answer_bits > 0);
        end
        assert (bit_comes || bit_number == 0);
        if (step == AWAIT_ANSWER) assert (!bit_comes);
        if (step == LENGTH) assert (offset == 0);
        if (step == PAYLOAD_STEP && !transmit)
            assert (offset >= 1 && remaining >= 1 && remaining <= `PAYLOAD && offset + {1'b0, remaining} <= `PAYLOAD + 1);
        if ((step == PAYLOAD_STEP || step == CRC) && !transmit && !nak) assert (!full || repeated);
        if ((step == PAYLOAD_STEP || step == CRC) && !transmit && nak) assert (!repeated);
        if ((step == AWAIT_ANSWER || step == ANSWER) && !transmit) begin
            assert (received == REPEAT || received == NAK || received == STORED);
            assert (nak == (received == NAK));
            assert (!nak || !repeated);
        end
        if (step == ANSWER) assert (elapsed > `ANSWER_OPEN);
        if (step != ANSWER && step != IDLE) assert (elapsed <= `ANSWER_OPEN);
    end
`endif
endmodule
