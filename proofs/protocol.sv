// The protocol of a link, with one step for each phase in which one end sends: frames with a sequence bit, the
// receive buffer and three answers. The channel may lose any frame and any answer. This is a model of
// docs/machine.md, "Receive buffer", not a circuit. Only the model knows the numbers of the messages.
//
// Each of these macros is 0 in the proof; 1 removes an assumption. FORGED: an answer may be received that was not
// sent. CHECKED: a damaged frame may pass the CRC. RESET: the receiver may be reset. CHANGED: after a timeout another
// message may be sent. OVERWRITTEN: the program's buffer may be written while it is full. NAK_FLIPS: the sequence
// bit also flips after a NAK.
module proof (
    input wire       clock,
    // The sender sends in this phase; it may always decide not to.
    input wire       sends,
    // The frame arrives undamaged (`frame_arrives`), and so does the answer (`answer_arrives`).
    input wire       frame_arrives,
    input wire       answer_arrives,
    // The program reads the buffer, or forwarding frees it.
    input wire       frees,
    // Used only when an assumption is removed.
    input wire       forged,
    input wire       checked,
    input wire       reset,
    input wire       changed
);
    // Next message to send, and its sequence bit.
    reg [7:0] message = 0;
    reg       sequence_ = 0;
    // Receiver: the expected sequence bit, its buffer, and the number of messages taken.
    reg       expected = 0, full = 0;
    reg [7:0] held, taken = 0;

    wire received = sends && frame_arrives;
    wire accepted = received || (`CHECKED && sends && checked);
    // A damaged frame that passed the CRC has arbitrary content. Here its sequence bit is wrong.
    wire received_bit = received ? sequence_ : !sequence_;
    wire repeated = accepted && received_bit != expected;
    wire nak = accepted && !repeated && full && !`OVERWRITTEN;
    wire stored = accepted && !repeated && !nak;
    wire acknowledged = (accepted && !nak && answer_arrives) || (`FORGED && sends && forged);
    wire received_nak = nak && answer_arrives && !acknowledged;
    wire goes_on = acknowledged || (`CHANGED && sends && changed && !received_nak);

    reg past_stored = 0, past_full = 0, past_frees = 0;
    reg [7:0] past_taken = 0;
    always @(posedge clock) begin
        if (goes_on) message <= message + 1;
        if (acknowledged || (`NAK_FLIPS && received_nak)) sequence_ <= !sequence_;
        if (stored) begin
            expected <= !expected;
            held     <= message;
            taken    <= taken + 1;
        end
        if (stored) full <= 1;
        else if (frees) full <= 0;
        if (`RESET && reset) expected <= 0;
        past_stored <= stored;
        past_full   <= full;
        past_frees  <= frees;
        past_taken  <= taken;
    end

    always @* begin
        assume (!frees || full);
        // The receiver takes every message once, in the order of sending.
        exactly_once: assert (!past_stored || held == past_taken);
        // The content of the buffer does not change until it is freed.
        nothing_lost: assert (!(past_stored && past_full));
        // The sender continues only when its message was taken.
        none_skipped: assert (taken == message || taken == message + 8'd1);
    end

    // The sequence bits show whether the message in transit was taken.
`ifndef CLAIM_ONLY
    always @* begin
        assert ((expected == sequence_) == (taken == message));
        assert (past_stored == (past_taken != taken) && (past_taken == taken || taken == past_taken + 8'd1));
    end
`endif
endmodule
