// The soft core, shared by contexts in any order, on a bus with arbitrary response times.
//
// BITS: width of a context number. LAST: the last word of the register file.
//
// The proof translates the core's ports to the RISC-V Formal Interface (RVFI): the data that an instruction read and
// wrote, and the next address, reported one clock cycle after its turn. The module `rv32i` computes the expected
// results from the data read. It is written from the RISC-V Unprivileged ISA, chapter RV32I.
module rv32i (
    input  wire [31:0] insn,
    input  wire [31:0] pc,
    input  wire [31:0] rs1,
    input  wire [31:0] rs2,
    // Aligned word of memory, for a load.
    input  wire [31:0] word,
    // Not an encoding of RV32I, `ecall`, `ebreak` or `wfi`.
    output reg         illegal,
    // The instruction cannot be executed: registers and memory do not change, and `cause` holds the reason.
    output wire        trap,
    output wire [3:0]  cause,
    output wire        sleeps,
    // Register that is written; 0 for none.
    output wire [4:0]  rd,
    output reg  [31:0] result,
    output reg         jumps,
    output reg  [31:0] target,
    output wire [31:0] address,
    // Byte lanes of the aligned word.
    output wire [3:0]  rmask,
    output wire [3:0]  wmask,
    output wire [31:0] wdata,
    // Shift distance in bits.
    output wire [4:0]  distance
);
    wire [6:0] opcode = insn[6:0];
    wire [2:0] funct3 = insn[14:12];
    wire [6:0] funct7 = insn[31:25];
    wire [31:0] imm_i = {{20{insn[31]}}, insn[31:20]};
    wire [31:0] imm_s = {{20{insn[31]}}, insn[31:25], insn[11:7]};
    wire [31:0] imm_b = {{19{insn[31]}}, insn[31], insn[7], insn[30:25], insn[11:8], 1'b0};
    wire [31:0] imm_u = {insn[31:12], 12'd0};
    wire [31:0] imm_j = {{11{insn[31]}}, insn[31], insn[19:12], insn[20], insn[30:21], 1'b0};
    wire lui = opcode == 7'h37, auipc = opcode == 7'h17, jal = opcode == 7'h6f, jalr = opcode == 7'h67;
    wire branch = opcode == 7'h63, load = opcode == 7'h03, store = opcode == 7'h23;
    wire op_imm = opcode == 7'h13, op = opcode == 7'h33, fence = opcode == 7'h0f;
    wire ecall = insn == 32'h0000_0073, ebreak = insn == 32'h0010_0073;
    assign sleeps = insn == 32'h1050_0073;

    always @* begin
        illegal = 1;
        if (lui || auipc || jal || ecall || ebreak || sleeps) illegal = 0;
        if (jalr) illegal = funct3 != 0;
        if (branch) illegal = funct3 == 2 || funct3 == 3;
        if (load) illegal = funct3 == 3 || funct3 > 5;
        if (store) illegal = funct3 > 2;
        if (fence) illegal = funct3 > 1;
        if (op_imm)
            illegal = (funct3 == 1 && funct7 != 0) || (funct3 == 5 && funct7 != 0 && funct7 != 7'h20);
        if (op) illegal = !(funct7 == 0 || (funct7 == 7'h20 && (funct3 == 0 || funct3 == 5)));
    end

    wire [31:0] other = op ? rs2 : imm_i;
    wire alternative = insn[30] && (op || funct3 == 5);
    assign distance = other[4:0];
    assign address = rs1 + (store ? imm_s : imm_i);
    wire [31:0] lanes = word >> {address[1:0], 3'd0};
    reg taken;
    always @* begin
        case (funct3)
            0: result = alternative ? rs1 - other : rs1 + other;
            1: result = rs1 << other[4:0];
            2: result = $signed(rs1) < $signed(other);
            3: result = rs1 < other;
            4: result = rs1 ^ other;
            5: if (alternative) result = $signed(rs1) >>> other[4:0];
               else result = rs1 >> other[4:0];
            6: result = rs1 | other;
            7: result = rs1 & other;
        endcase
        if (lui) result = imm_u;
        if (auipc) result = pc + imm_u;
        if (jal || jalr) result = pc + 4;
        if (load)
            case (funct3)
                0: result = {{24{lanes[7]}}, lanes[7:0]};
                1: result = {{16{lanes[15]}}, lanes[15:0]};
                4: result = {24'd0, lanes[7:0]};
                5: result = {16'd0, lanes[15:0]};
                default: result = lanes;
            endcase
        case (funct3)
            0: taken = rs1 == rs2;
            1: taken = rs1 != rs2;
            4: taken = $signed(rs1) < $signed(rs2);
            5: taken = $signed(rs1) >= $signed(rs2);
            6: taken = rs1 < rs2;
            default: taken = rs1 >= rs2;
        endcase
        jumps = jal || jalr || (branch && taken);
        target = pc + 4;
        if (branch && taken) target = pc + imm_b;
        if (jal) target = pc + imm_j;
        if (jalr) target = (rs1 + imm_i) & ~32'd1;
    end

    wire misaligned = (funct3[1:0] == 1 && address[0]) || (funct3[1:0] == 2 && address[1:0] != 0);
    wire astray = target[1:0] != 0;
    assign trap = illegal || ecall || ebreak || ((load || store) && misaligned) || (jumps && astray);
    assign cause = illegal ? 2 : ebreak ? 3 : ecall ? 11 : load ? 4 : store ? 6 : 0;
    assign rd = !trap && (lui || auipc || jal || jalr || load || op || op_imm) ? insn[11:7] : 0;
    wire [3:0] bytes = (funct3[1:0] == 0 ? 4'b0001 : funct3[1:0] == 1 ? 4'b0011 : 4'b1111) << address[1:0];
    assign rmask = load && !trap ? bytes : 0;
    assign wmask = store && !trap ? bytes : 0;
    assign wdata = rs2 << {address[1:0], 3'd0};
endmodule

module proof (
    input wire        clock,
    input wire        reset,
    input wire [BITS-1:0] context_,
    input wire        go,
    input wire        wake,
    input wire        ready,
    input wire [31:0] read_data
);
    // Selects the claim. 0: the effect of an instruction, except shifts. 1: the results of shifts. 2: registers and
    // program counters from one instruction to the next.
    localparam INSTRUCTIONS = `PART == 0, SHIFTS = `PART == 1, STATE = `PART == 2;
    parameter BITS = `BITS;
    wire [BITS-1:0] current;
    wire        retired, asleep, halted, request;
    wire [3:0]  cause, strobe;
    wire [31:0] address, write_data;

    soft_core dut (
        .clock(clock), .reset(reset), .context_(context_), .go(go), .wake(wake), .current(current),
        .retired(retired), .asleep(asleep), .halted(halted), .cause(cause), .request(request),
        .address(address), .write_data(write_data), .write_strobe(strobe), .ready(ready),
        .read_data(read_data)
    );

    (* of = "dut.control.state" *) wire [3:0] step;
    (* of = "dut.access.begun" *) wire begun;
    (* of = "dut.registers_read" *) wire [31:0] r;
    (* of = "dut.registers.words_write_enable" *) wire writes;
    (* of = "dut.registers.words_write_address" *) wire [BITS+4:0] register_address;
    (* of = "dut.registers.words_write_data" *) wire [31:0] value;
    wire fetch = step == 1, operand = step == 2, execute = step == 3, shift = step == 4;
    wire recall = step == 5, aims = step == 6, jump = step == 7, link = step == 8;
    wire fetched = fetch && begun && ready && !reset;
    wire accessed = execute && request && ready;

    // RVFI. It holds the data of the current turn so far, and all of it in the clock cycle after the turn.
    reg         rvfi_valid = 0, rvfi_trap;
    reg  [63:0] rvfi_order = 0;
    reg  [31:0] rvfi_insn, rvfi_pc_rdata, rs1_seen, rs2_seen, pc_seen;
    reg [BITS-1:0] rvfi_context;
    reg  [3:0]  rvfi_cause;
    reg  [31:0] rvfi_mem_addr, rvfi_mem_rdata, rvfi_mem_wdata;
    reg  [3:0]  rvfi_mem_rmask, rvfi_mem_wmask;
    reg  [4:0]  rd_seen;
    reg  [31:0] result_seen;
    wire [4:0]  rvfi_rs1_addr = rvfi_insn[19:15];
    wire [31:0] rvfi_rs1_rdata = rvfi_rs1_addr == 0 ? 0 : rs1_seen;
    // Other instructions do not read a second register, and neither do illegal ones.
    reg         read_2;
    wire        two_registers = rvfi_insn[6:0] == 7'h33 || rvfi_insn[6:0] == 7'h63
        || rvfi_insn[6:0] == 7'h23;
    wire [4:0]  rvfi_rs2_addr = two_registers && read_2 ? rvfi_insn[24:20] : 0;
    wire [31:0] rvfi_rs2_rdata = rvfi_rs2_addr == 0 ? 0 : rs2_seen;
    // A register is written in the turn, or in the clock cycle after it.
    wire        after_turn = rvfi_valid && writes && register_address[4:0] != 0;
    wire [4:0]  rvfi_rd_addr = after_turn ? register_address[4:0] : rd_seen;
    wire [31:0] rvfi_rd_wdata = after_turn ? value : result_seen;
    // Bit 1 of the program counter word: the instruction is done.
    wire [31:0] rvfi_pc_wdata = {pc_seen[31:2], 2'b00} + (pc_seen[1] ? 4 : 0);
    always @(posedge clock) begin
        rvfi_valid <= (retired || halted) && !reset;
        if (retired || halted) begin
            rvfi_trap    <= halted;
            rvfi_cause   <= cause;
            rvfi_context <= current;
        end
        if (rvfi_valid) rvfi_order <= rvfi_order + 1;
        if (fetched) begin
            rvfi_insn      <= read_data;
            rvfi_pc_rdata  <= address;
            rd_seen        <= 0;
            read_2         <= 0;
            rvfi_mem_rmask <= 0;
            rvfi_mem_wmask <= 0;
        end
        if (operand) rs1_seen <= r;
        if (execute) begin
            rs2_seen <= r;
            read_2   <= 1;
        end
        if (accessed) begin
            rvfi_mem_addr  <= address;
            rvfi_mem_rmask <= strobe == 0 ? 4'b1111 : 4'b0000;
            rvfi_mem_wmask <= strobe;
            rvfi_mem_rdata <= read_data;
            rvfi_mem_wdata <= write_data;
        end
        if (writes && register_address[4:0] == 0) pc_seen <= value;
        if (writes && register_address[4:0] != 0 && !rvfi_valid) begin
            rd_seen     <= register_address[4:0];
            result_seen <= value;
        end
    end

    // Expected results.
    wire        illegal, trap, sleeps, jumps;
    wire [3:0]  why, rmask, wmask;
    wire [4:0]  rd;
    wire [31:0] result, target, at, wdata;
    wire [4:0]  distance;
    rv32i spec (
        .insn(rvfi_insn), .pc(rvfi_pc_rdata), .rs1(rvfi_rs1_rdata), .rs2(rvfi_rs2_rdata),
        .word(rvfi_mem_rdata), .illegal(illegal), .trap(trap), .cause(why), .sleeps(sleeps), .rd(rd),
        .result(result), .jumps(jumps), .target(target), .address(at), .rmask(rmask), .wmask(wmask),
        .wdata(wdata), .distance(distance)
    );
    wire serial = (rvfi_insn[6:0] == 7'h13 || rvfi_insn[6:0] == 7'h33) && rvfi_insn[13:12] == 1;
    wire [31:0] bits = {{8{wmask[3]}}, {8{wmask[2]}}, {8{wmask[1]}}, {8{wmask[0]}}};
    // A reset in the turn, or in the clock cycle after it, may leave the effects incomplete.
    wire reported = rvfi_valid && !reset;
    always @* if (reported && SHIFTS && serial && rd != 0) shifted: assert (rvfi_rd_wdata == result);
    always @* if (reported && INSTRUCTIONS) begin
        halts: assert (rvfi_trap == trap);
        if (trap) reason: assert (rvfi_cause == why);
        writes_register: assert (rvfi_rd_addr == rd);
        if (rd != 0 && !serial) writes_result: assert (rvfi_rd_wdata == result);
        goes_to: assert (rvfi_pc_wdata == (trap ? rvfi_pc_rdata : target));
        falls_asleep: assert (pc_seen[0] == (sleeps && !trap));
        loads: assert ((rvfi_mem_rmask & rmask) == rmask && (rmask != 0 || rvfi_mem_rmask == 0));
        stores: assert (rvfi_mem_wmask == wmask);
        if (rmask != 0 || wmask != 0) from: assert (rvfi_mem_addr == {at[31:2], 2'b00});
        stored: assert (((rvfi_mem_wdata ^ wdata) & bits) == 0);
    end

    // For an arbitrary register of an arbitrary context, RVFI reads return the value of the last RVFI write.
    (* anyconst *) wire [BITS-1:0] watched_context;
    (* anyconst *) wire [4:0] watched;
    reg [31:0] last = 0, next_pc = 0;
    // A reset has begun. From its second clock cycle on the current context restarts.
    reg reset_before = 0, lost = 0;
    wire begins_again = reset && reset_before && current == watched_context;
    wire mine = rvfi_valid && rvfi_context == watched_context;
    always @(posedge clock) begin
        if (mine && rvfi_rd_addr == watched) last <= rvfi_rd_wdata;
        if (mine) next_pc <= rvfi_pc_wdata;
        reset_before <= reset;
        if (reset && !reset_before) lost <= 1;
        if (begins_again) begin
            lost <= 0;
            next_pc <= 0;
        end
    end
    always @* if (mine && reported && STATE && watched != 0) begin
        if (rvfi_rs1_addr == watched) first_operand: assert (rvfi_rs1_rdata == last);
        if (rvfi_rs2_addr == watched) second_operand: assert (rvfi_rs2_rdata == last);
    end
    // The instructions of a context follow one another.
    always @* if (mine && reported && STATE && !lost) follows: assert (rvfi_pc_rdata == next_pc);
    // Induction invariants: the content of the flip-flops in each step of a turn.
    (* of = "dut.registers.words[0:LAST]" *) wire [(1024<<BITS)-1:0] file;
    (* of = "dut.access.word" *) wire [31:0] word;
    (* of = "dut.computation.accumulator.a" *) wire [31:0] a;
    (* of = "dut.registers.previous" *) wire [BITS-1:0] previous;
    (* of = "dut.registers.pending" *) wire pending;
    (* of = "dut.control.count" *) wire [4:0] count;
    (* of = "dut.control.misses" *) wire fault;
    (* of = "dut.control.taken" *) wire taken;
`ifndef CLAIM_ONLY
    wire [31:0] counter = file[1024 * current +: 32];
    wire [31:0] next = {counter[31:2], 2'b00} + (counter[1] ? 4 : 0);
    wire [31:0] at_watched = file[1024 * watched_context + 32 * watched +: 32];
    wire [31:0] counter_watched = file[1024 * watched_context +: 32];
    wire in_turn = operand || execute || shift || recall || aims || jump || link;
    wire is_watched = current == watched_context;
    wire branch = word[6:0] == 7'h63, jal = word[6:0] == 7'h6f, jalr = word[6:0] == 7'h67;
    wire memory = word[6:0] == 7'h03 || word[6:0] == 7'h23;
    // Number of shifted bits: the distance minus the bits left.
    wire [4:0] distance_done = distance - count;
    integer k;
    always @* for (k = 0; k < 32; k = k + 1)
        if (SHIFTS && shift && distance_done == k) begin
            if (!word[14]) assert (a == rvfi_rs1_rdata << k);
            else if (!word[30]) assert (a == rvfi_rs1_rdata >> k);
            else assert ($signed(a) == $signed(rvfi_rs1_rdata) >>> k);
        end
    always @* begin
        assert (step <= 8 && (!begun || fetch));
        if (fetch) assert (r == counter);
        if (in_turn) assert (word == rvfi_insn && rvfi_pc_rdata[1:0] == 0);
        if (operand) assert (a == rvfi_pc_rdata && rvfi_pc_rdata == next && !read_2);
        if (rvfi_valid) assert (read_2 == !(illegal || word == 32'h73 || word == 32'h100073));
        if (operand || execute || shift || recall || aims || jump || link) begin
            assert (!pending && !rvfi_valid);
            assert (rd_seen == 0 && rvfi_mem_rmask == 0 && rvfi_mem_wmask == 0);
        end
        if (shift || recall || aims || jump || link) assert (read_2);
        if (in_turn && !operand) begin
            assert (!illegal && pc_seen == counter);
            assert (!(word == 32'h73 || word == 32'h100073));
        end
        if (execute || shift || recall || aims || jump) assert (counter == {rvfi_pc_rdata[31:2], 1'b1, sleeps});
        if (execute) begin
            assert (a == (jal ? target : word[6:0] == 7'h17 ? result : rvfi_rs1_rdata));
            assert (!fault);
        end
        if (shift) assert (serial && count <= distance);
        if (recall) assert (branch || (fault && trap));
        if (recall && branch) assert (taken == jumps);
        if (recall || jump) assert (r == counter);
        if (recall) assert (jal || jalr || branch || memory);
        if (aims) assert (a == rvfi_pc_rdata && (branch ? jumps : fault));
        if (aims || jump || link) assert (branch || jal || jalr || (memory && fault && !link));
        if (aims || jump) assert (fault == trap);
        if (jump) assert (a == (trap ? rvfi_pc_rdata : target) && (branch ? jumps : 1'b1));
        if (link) assert (a == rvfi_pc_rdata && !trap && counter == target && (branch ? jumps : 1'b1));
        // After the turn.
        if (pending) assert (rvfi_valid && previous == rvfi_context && (step == 0 || (fetch && !begun)));
        if (rvfi_valid) begin
            assert (step == 0 || (fetch && !begun));
            assert (word == rvfi_insn && previous == rvfi_context);
            assert (pending == (rd != 0 && word[6:0] != 7'h03));
            if (pending) assert ((STATE || serial != SHIFTS || a == result) && rd == word[11:7] && rd_seen == 0);
            else assert (rd_seen == rd && (rd == 0 || result_seen == result));
            assert (pc_seen == file[1024 * rvfi_context +: 32]);
            assert (trap || rvfi_pc_rdata[1:0] == 0);
        end
        if (rvfi_valid) assert (!rvfi_trap || step == 0);
        // The registers.
        if (watched != 0) begin
            if (mine && rd_seen == watched) assert (at_watched == result_seen);
            else assert (at_watched == last);
            if (is_watched && execute && rvfi_rs1_addr == watched) assert (rs1_seen == last);
            if (is_watched && operand && rvfi_rs1_addr == watched) assert (r == last);
            if (is_watched && (shift || recall || aims || jump || link) && rvfi_rs1_addr == watched) assert (rs1_seen == last);
            if (is_watched && (shift || recall || aims || jump || link) && rvfi_rs2_addr == watched) assert (rs2_seen == last);
            if (is_watched && execute && two_registers && rvfi_insn[24:20] == watched) assert (r == last);
        end
        if (is_watched && in_turn && !lost) assert (rvfi_pc_rdata == next_pc);
        if (!mine && !(is_watched && in_turn) && !lost) begin
            assert ({counter_watched[31:2], 2'b00} + (counter_watched[1] ? 4 : 0) == next_pc);
            assert (next_pc[1:0] == 0);
        end
        if (mine && !lost) assert (rvfi_pc_rdata == next_pc);
        if (reset_before) assert (step == 0 && !begun && !pending && !rvfi_valid && a == 0);
        if (lost) assert (!mine || !reset_before);
    end
`endif
endmodule
