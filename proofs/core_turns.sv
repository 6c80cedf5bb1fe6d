// The turns of the soft core, shared by contexts in any order, on a bus with arbitrary response times. Each turn ends
// exactly once, within a known number of clock cycles. Requests are stable. Contexts sleep and wake as specified.
//
// BITS: width of a context number. LAST: the last word of the register file.
module proof (
    input wire        clock,
    input wire        reset,
    input wire [BITS-1:0] context_,
    input wire        go,
    input wire        wake,
    input wire        ready,
    input wire [31:0] read_data
);
    parameter BITS = `BITS;
    wire [BITS-1:0] current;
    wire        retired, asleep, halted, request;
    wire [3:0]  cause, strobe;
    wire [31:0] address, write_data, instruction;

    soft_core dut (
        .clock(clock), .reset(reset), .context_(context_), .go(go), .wake(wake), .current(current),
        .retired(retired), .asleep(asleep), .halted(halted), .cause(cause), .instruction(instruction),
        .request(request), .address(address), .write_data(write_data), .write_strobe(strobe), .ready(ready),
        .read_data(read_data)
    );

    // Model of a turn: it begins in the clock cycle after `go` is sampled while there is no turn.
    wire      ends = retired || asleep || halted;
    reg       turn = 0, first = 0;
    // State of the turn: its instruction has arrived; the core waits for an answer to a request; number of clock
    // cycles without waiting.
    reg       has_instruction = 0, requested = 0;
    reg [5:0] spent = 0;
    wire      fetched = turn && !has_instruction && request && requested && ready;
    wire      answered = fetched || (has_instruction && request && ready);
    // The first clock cycle of a fetch does not count as waiting, because an answer is ignored. After a halt there is
    // one clock cycle without a turn.
    wire      goes_on = turn && !ends, begins = !goes_on && !halted && go;
    wire      waits = request && !ready && (requested || has_instruction);
    always @(posedge clock) begin
        turn  <= !reset && (goes_on || begins);
        first <= !reset && begins;
        if (reset || ends || !turn) has_instruction <= 0;
        else if (fetched) has_instruction <= 1;
        requested <= request && !answered && !reset;
        if (reset || ends || !turn) spent <= 0;
        else if (!waits) spent <= spent + 1;
    end

    // Expected number of clock cycles of a turn, without waiting.
    wire [6:0] opcode = instruction[6:0];
    wire       op_imm = opcode == 7'h13, op = opcode == 7'h33, branch = opcode == 7'h63;
    wire       jumps = opcode == 7'h6f || opcode == 7'h67;
    wire       memory = opcode == 7'h03 || opcode == 7'h23;
    wire       shift = (op_imm || op) && instruction[13:12] == 1;
    // Second operand of a shift by a register: the word read while the first operand is used.
    (* of = "dut.registers_read" *) wire [31:0] r;
    reg  [31:0] second = 0;
    always @(posedge clock) if (spent == 3) second <= r;
    wire [4:0] far = op_imm ? instruction[24:20] : instruction[24:20] == 0 ? 5'd0 : second[4:0];
    wire [5:0] plain = shift ? 6'd5 + far : jumps ? 6'd6 : 6'd4;
    wire [5:0] takes = spent + 1;
    // At most 8, except for shifts.
    wire [5:0] most = shift && spent > 3 ? plain : 6'd8;

    // Values of the previous clock cycle.
    reg        reset_before = 0;
    reg [BITS-1:0] current_before = 0, context_before = 0;
    reg [31:0] address_before, data_before;
    reg [3:0]  strobe_before;
    always @(posedge clock) begin
        reset_before <= reset;
        current_before <= current;
        context_before <= context_;
        address_before <= address;
        data_before <= write_data;
        strobe_before <= strobe;
    end
    always @* begin
        // Each turn ends once, and between turns there are no requests.
        one_end: assert (retired + asleep + halted <= 1);
        in_turn: assert (turn || !(ends || request));
        bounded: assert (spent < most);
        if (retired && branch) branches: assert (takes == 5 || takes == 8);
        if (retired && !branch) in_time: assert (takes == plain);
        if (halted) halts: assert (takes == 3 || takes == 7);
        if (retired || halted) has_fetched: assert (has_instruction);
        if (first || (turn && !has_instruction)) fetches: assert (asleep || (request && strobe == 0));
        if (asleep) at_once: assert (first && !wake && !request);
        // The turn belongs to the context shown in the clock cycle before it.
        if (first) of_context: assert (current == context_before);
        if (turn && !first) keeps_context: assert (current == current_before);
        // A request is stable until it is answered.
        aligned: assert (!request || address[1:0] == 0);
        if (requested) stays: assert (request && address == address_before && strobe == strobe_before);
        if (requested && strobe != 0) stays_written: assert (write_data == data_before);
        if (reset_before) quiet: assert (!turn);
    end

    // An arbitrary context. It sleeps after `wfi` until it is woken. From the second clock cycle of a reset on, the
    // current context is awake.
    (* anyconst *) wire [BITS-1:0] watched;
    reg  sleeps = 0, lost = 0;
    wire is_watched = current == watched;
    always @(posedge clock) begin
        if (is_watched && first && !asleep) sleeps <= 0;
        if (is_watched && retired) sleeps <= instruction == 32'h1050_0073;
        if (reset && !reset_before) lost <= 1;
        if (reset && reset_before && is_watched) begin
            lost <= 0;
            sleeps <= 0;
        end
    end
    always @* if (is_watched && first && !lost) sleeps_until_woken: assert (asleep == (sleeps && !wake));

    // Induction invariants.
    (* of = "dut.control.state" *) wire [3:0] step;
    (* of = "dut.access.begun" *) wire begun;
    (* of = "dut.registers.pending" *) wire pending;
    (* of = "dut.registers.previous" *) wire [BITS-1:0] previous;
    (* of = "dut.control.count" *) wire [4:0] count;
    (* of = "dut.control.misses" *) wire fault;
    (* of = "dut.decoder_illegal" *) wire illegal;
    (* of = "dut.computation.accumulator.a" *) wire [31:0] a;
    (* of = "dut.registers.words[0:LAST]" *) wire [(1024<<BITS)-1:0] file;
`ifndef CLAIM_ONLY
    wire fetch = step == 1, operand = step == 2, execute = step == 3, shifts = step == 4;
    wire recall = step == 5, aims = step == 6, jump = step == 7, link = step == 8;
    wire [31:0] counter = file[1024 * current +: 32];
    wire [31:0] counter_watched = file[1024 * watched +: 32];
    wire [4:0]  rs2 = instruction[24:20] == 0 ? 5'd1 : instruction[24:20];
    wire        wfi = instruction == 32'h1050_0073;
    always @* begin
        assert (step <= 8 && (step != 0) == turn && fetch == (turn && !has_instruction));
        assert (first == (fetch && !begun) && (!begun || fetch));
        assert (!pending || ((step == 0 || first) && instruction[11:7] != 0));
        if (fetch) assert (r == counter && requested == begun && spent == begun);
        if (operand) assert (spent == 2 && !requested && a[1:0] == 0);
        if (execute) assert (spent == 3 && (!requested || memory));
        if (execute && opcode == 7'h23) assert (r == file[{current, rs2, 5'd0} +: 32]);
        if (shifts) assert (shift && count <= far && spent == 4 + far - count && !requested);
        if (shifts || recall || aims || jump || link) assert (!requested);
        if (recall || aims || jump || link) assert (branch || jumps || memory);
        if (has_instruction && !operand) assert (!illegal);
        if (recall) assert (spent == 4 && (branch || fault));
        if (aims) assert (spent == 5 && (branch || fault));
        if (jump) assert (fault ? spent == 6 : branch ? spent == 6 : spent == 4 && jumps);
        if (link) assert ((jumps && spent == 5) || (branch && spent == 7));
        if (reset_before) assert (a == 0 && !pending);
        if (execute || shifts || recall || aims || jump) assert (counter[0] == wfi);
        if (link) assert (!counter[0]);
        if (aims || jump) assert (!a[0]);
        if (execute && opcode == 7'h6f) assert (!a[0]);
        if (recall) assert (!r[0]);
        if (!lost) assert (sleeps == (is_watched && turn && !first ? 1'b0 : counter_watched[0]));
    end
`endif
endmodule
