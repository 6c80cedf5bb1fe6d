// The protocol of a link, one step for each phase in which one end sends: frames with a sequence bit,
// the receive register, three answers, over a channel that may lose any frame and any answer.
// It is a model of docs/machine.md, "Answers", not a circuit; messages have numbers that only the model knows.
//
// Each of these macros is 0 in the proof; at 1 an assumption is left out. FORGED: an answer may be heard
// that nobody gave. CHECKED: a damaged frame may pass the CRC. RESET: the receiver may be reset. CHANGED: after
// silence another message may be sent. OVERWRITTEN: the program's register may be written while it is full.
// REFUSED_FLIPS: the sequence bit flips after a refusal, too.
module proof (
    input wire       clock,
    // The sender has decided to send; it need not.
    input wire       sends,
    // The frame arrives undamaged; the answer does.
    input wire       frame_arrives,
    input wire       answer_arrives,
    // The register is read by the program or freed by its forward.
    input wire       frees,
    // Only when an assumption is left out.
    input wire       forged,
    input wire       checked,
    input wire       reset,
    input wire       changed
);
    // The message that is sent next, and its sequence bit.
    reg [7:0] message = 0;
    reg       sequence_ = 0;
    // The receiver: the bit it expects, its register, the number of messages that it took.
    reg       expected = 0, full = 0;
    reg [7:0] held, taken = 0;

    wire heard = sends && frame_arrives;
    wire accepted = heard || (`CHECKED && sends && checked);
    // A frame that was damaged and passed the CRC holds anything: here the other sequence bit.
    wire bit_heard = heard ? sequence_ : !sequence_;
    wire repeated = accepted && bit_heard != expected;
    wire refused = accepted && !repeated && full && !`OVERWRITTEN;
    wire stored = accepted && !repeated && !refused;
    wire acknowledged = (accepted && !refused && answer_arrives) || (`FORGED && sends && forged);
    wire told_refusal = refused && answer_arrives && !acknowledged;
    wire goes_on = acknowledged || (`CHANGED && sends && changed && !told_refusal);

    reg past_stored = 0, past_full = 0, past_frees = 0;
    reg [7:0] past_taken = 0;
    always @(posedge clock) begin
        if (goes_on) message <= message + 1;
        if (acknowledged || (`REFUSED_FLIPS && told_refusal)) sequence_ <= !sequence_;
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
        // The receiver takes message after message, each once, in the order in which they are sent.
        exactly_once: assert (!past_stored || held == past_taken);
        // What is in the register is there until it is freed.
        nothing_lost: assert (!(past_stored && past_full));
        // The sender goes on only when its message was taken.
        none_skipped: assert (taken == message || taken == message + 8'd1);
    end

    // The bits tell whether the message on its way was taken.
`ifndef CLAIM_ONLY
    always @* begin
        assert ((expected == sequence_) == (taken == message));
        assert (past_stored == (past_taken != taken) && (past_taken == taken || taken == past_taken + 8'd1));
    end
`endif
endmodule
