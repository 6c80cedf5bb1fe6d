// Two soft cores with different histories: their state after a reset.
//
// BITS: width of a context number. LAST: the last word of the register file.
module proof (
    input wire            clock,
    input wire            reset_a,
    input wire            reset_b,
    input wire [BITS-1:0] context_a,
    input wire [BITS-1:0] context_b,
    input wire            go_a,
    input wire            go_b,
    input wire            wake_a,
    input wire            wake_b,
    input wire            ready_a,
    input wire            ready_b,
    input wire [31:0]     read_data_a,
    input wire [31:0]     read_data_b
);
    parameter BITS = `BITS;
    localparam CONTEXTS = 1 << BITS;
    wire [BITS-1:0] current_a, current_b;
    wire        retired_a, asleep_a, halted_a, request_a, retired_b, asleep_b, halted_b, request_b;
    wire [3:0]  cause_a, strobe_a, cause_b, strobe_b;
    wire [31:0] address_a, write_data_a, address_b, write_data_b;

    soft_core a (
        .clock(clock), .reset(reset_a), .context_(context_a), .go(go_a), .wake(wake_a),
        .current(current_a), .retired(retired_a), .asleep(asleep_a), .halted(halted_a), .cause(cause_a),
        .request(request_a), .address(address_a), .write_data(write_data_a), .write_strobe(strobe_a),
        .ready(ready_a), .read_data(read_data_a)
    );
    soft_core b (
        .clock(clock), .reset(reset_b), .context_(context_b), .go(go_b), .wake(wake_b),
        .current(current_b), .retired(retired_b), .asleep(asleep_b), .halted(halted_b), .cause(cause_b),
        .request(request_b), .address(address_b), .write_data(write_data_b), .write_strobe(strobe_b),
        .ready(ready_b), .read_data(read_data_b)
    );
    (* of = "a.registers.words[0:LAST]" *) wire [(1024<<BITS)-1:0] file_a;
    (* of = "b.registers.words[0:LAST]" *) wire [(1024<<BITS)-1:0] file_b;

    // An arbitrary set of contexts that have turns after the reset. In a node with its own core there is one.
    (* anyconst *) wire [CONTEXTS-1:0] used;
    wire uses_a = used[context_a], uses_b = used[context_b];

    // Contexts that restart. In a core that has done nothing since power-on these are all contexts. During a reset
    // they are the contexts that were current after its first clock cycle.
    reg reset_before_a = 0, reset_before_b = 0, new_a = 1, new_b = 1;
    reg [CONTEXTS-1:0] cleared_a = 0, cleared_b = 0;
    wire [CONTEXTS-1:0] clears_a = reset_a && reset_before_a ? cleared_a | (1 << current_a) : 0;
    wire [CONTEXTS-1:0] clears_b = reset_b && reset_before_b ? cleared_b | (1 << current_b) : 0;
    wire again_a = (new_a && !reset_a) || (used & ~clears_a) == 0;
    wire again_b = (new_b && !reset_b) || (used & ~clears_b) == 0;
    wire still_a = reset_a || !go_a, still_b = reset_b || !go_b;
    always @(posedge clock) begin
        reset_before_a <= reset_a;
        reset_before_b <= reset_b;
        cleared_a <= clears_a;
        cleared_b <= clears_b;
        new_a <= new_a && !reset_a && !go_a;
        new_b <= new_b && !reset_b && !go_b;
    end

    // The registers of these contexts are equal in both cores. Register 0 is excluded.
    reg equal_registers;
    integer c, r;
    always @* begin
        equal_registers = 1;
        for (c = 0; c < CONTEXTS; c = c + 1)
            if (used[c] && file_a[1024 * c + 32 +: 992] != file_b[1024 * c + 32 +: 992])
                equal_registers = 0;
    end

    // From here on both cores get the same inputs. During a new reset the program counters may differ until the reset
    // has restarted each context.
    wire begins = again_a && again_b && still_a && still_b && equal_registers;
    wire answers = ready_a == ready_b && wake_a == wake_b;
    wire same_inputs = !reset_a && !reset_b && go_a == go_b && answers && read_data_a == read_data_b;
    reg  same = 0;
    always @(posedge clock)
        same <= uses_a && context_a == context_b && (begins || (same && same_inputs));

    // An arbitrary register of an arbitrary context, and its value one clock cycle ago.
    (* anyconst *) wire [BITS-1:0] watched_context;
    (* anyconst *) wire [4:0] watched;
    wire [31:0] held = file_a[1024 * watched_context + 32 * watched +: 32];
    reg  [31:0] held_before = 0;
    always @(posedge clock) held_before <= held;

    always @* begin
        if (reset_before_a) begin
            if (watched != 0) keeps_registers: assert (held == held_before);
            requests_nothing: assert (!request_a && strobe_a == 0);
            ends_nothing: assert (!retired_a && !asleep_a && !halted_a);
        end
        // A new reset, or a change of `context`, has no immediate effect on the outputs.
        if (same && answers) begin
            same_context: assert (current_a == current_b);
            same_ends: assert (retired_a == retired_b && asleep_a == asleep_b && halted_a == halted_b);
            if (halted_a) same_cause: assert (cause_a == cause_b);
            same_request: assert (request_a == request_b && strobe_a == strobe_b);
            if (request_a) same_address: assert (address_a == address_b);
            if (strobe_a != 0) same_data: assert (write_data_a == write_data_b);
        end
    end

    // Induction invariants.
    (* of = "a.control.state" *) wire [3:0] step_a;
    (* of = "b.control.state" *) wire [3:0] step_b;
    (* of = "a.control.count" *) wire [4:0] count_a;
    (* of = "b.control.count" *) wire [4:0] count_b;
    (* of = "a.control.misses" *) wire fault_a;
    (* of = "b.control.misses" *) wire fault_b;
    (* of = "a.control.taken" *) wire taken_a;
    (* of = "b.control.taken" *) wire taken_b;
    (* of = "a.access.begun" *) wire begun_a;
    (* of = "b.access.begun" *) wire begun_b;
    (* of = "a.access.word" *) wire [31:0] word_a;
    (* of = "b.access.word" *) wire [31:0] word_b;
    (* of = "a.computation.accumulator.a" *) wire [31:0] value_a;
    (* of = "b.computation.accumulator.a" *) wire [31:0] value_b;
    (* of = "a.registers.pending" *) wire pending_a;
    (* of = "b.registers.pending" *) wire pending_b;
    (* of = "a.registers.previous" *) wire [BITS-1:0] previous_a;
    (* of = "b.registers.previous" *) wire [BITS-1:0] previous_b;
    (* of = "a.registers_read" *) wire [31:0] read_a;
    (* of = "b.registers_read" *) wire [31:0] read_b;
`ifndef CLAIM_ONLY
    always @* begin
        if (reset_before_a || new_a) assert (step_a == 0 && !begun_a && !pending_a);
        if (reset_before_a) assert (value_a == 0);
        if (reset_before_b || new_b) assert (step_b == 0 && !begun_b && !pending_b);
        if (reset_before_b) assert (value_b == 0);
        if (!reset_before_a) assert (cleared_a == 0);
        if (!reset_before_b) assert (cleared_b == 0);
        assert (step_a <= 8 && step_b <= 8 && (!begun_a || step_a == 1));
        for (r = 0; r < CONTEXTS; r = r + 1) begin
            if (cleared_a[r] || new_a) assert (file_a[1024 * r +: 32] == 0);
            if (cleared_b[r] || new_b) assert (file_b[1024 * r +: 32] == 0);
            if (same && used[r]) assert (file_a[1024 * r +: 1024] == file_b[1024 * r +: 1024]);
        end
        if (same) begin
            assert (used[current_a] && step_a == step_b && begun_a == begun_b);
            assert (pending_a == pending_b && current_a == current_b);
            if (pending_a) assert (word_a == word_b && previous_a == previous_b && used[previous_a]);
            if (step_a > 1 || pending_a) assert (value_a == value_b);
            if (step_a != 0) assert (read_a == read_b);
            if (step_a > 1) assert (word_a == word_b);
            if (step_a == 4) assert (count_a == count_b);
            if (step_a > 4) assert (fault_a == fault_b);
            if (step_a == 5) assert (taken_a == taken_b);
        end
    end
`endif
endmodule
