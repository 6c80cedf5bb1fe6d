// A small RV32I core. An instruction takes two clock cycles and its accesses to memory.
//
// The bus is that of PicoRV32. An access begins with mem_valid and ends in the clock cycle in which
// mem_ready is high; the core holds all its outputs until then. mem_wstrb is zero for a read.
// fence is a no-op. Any other instruction that is not RV32I, ecall, ebreak, and a misaligned
// access or jump end in trap, which stays high.
module rv32i (
    input clk,
    input resetn,
    output trap,
    output mem_valid,
    output mem_instr,
    input mem_ready,
    output [31:0] mem_addr,
    output [31:0] mem_wdata,
    output [3:0] mem_wstrb,
    input [31:0] mem_rdata
);
    localparam FETCH = 0, EXECUTE = 1, MEMORY = 2, TRAP = 3;
    reg [1:0] state;
    reg [31:0] pc;
    reg [31:0] instruction;
    reg [31:0] a, b;
    reg [31:0] address;

    // Register 0 is never written.
    reg [31:0] registers [0:31];
    integer i;
    initial for (i = 0; i < 32; i = i + 1) registers[i] = 0;

    // Fields of the instruction.
    wire [4:0] opcode = instruction[6:2];
    wire [4:0] rd = instruction[11:7];
    wire [2:0] funct3 = instruction[14:12];
    wire [6:0] funct7 = instruction[31:25];
    wire [31:0] imm_i = {{21{instruction[31]}}, instruction[30:20]};
    wire [31:0] imm_s = {{21{instruction[31]}}, instruction[30:25], instruction[11:7]};
    wire [31:0] imm_b = {{20{instruction[31]}}, instruction[7], instruction[30:25], instruction[11:8], 1'b0};
    wire [31:0] imm_u = {instruction[31:12], 12'd0};
    wire [31:0] imm_j = {{12{instruction[31]}}, instruction[19:12], instruction[20], instruction[30:21], 1'b0};

    wire lui = opcode == 5'b01101;
    wire auipc = opcode == 5'b00101;
    wire jal = opcode == 5'b11011;
    wire jalr = opcode == 5'b11001 && funct3 == 0;
    wire branch = opcode == 5'b11000 && funct3[2:1] != 2'b01;
    wire load = opcode == 5'b00000 && funct3 != 3 && funct3[2:1] != 2'b11;
    wire store = opcode == 5'b01000 && funct3 < 3;
    wire immediate = opcode == 5'b00100;
    wire register = opcode == 5'b01100;
    wire fence = opcode == 5'b00011 && funct3[2:1] == 0;
    // Only sub and the arithmetic shift have a bit of funct7.
    wire shift = funct3[1:0] == 2'b01;
    wire zero7 = funct7 == 0;
    wire sign7 = funct7 == 7'b0100000;
    wire good_immediate = immediate && (!shift || zero7 || (sign7 && funct3[2]));
    wire good_register = register && (zero7 || (sign7 && (funct3 == 0 || funct3 == 5)));
    wire legal = instruction[1:0] == 2'b11 && (lui || auipc || jal || jalr || branch || load || store
        || good_immediate || good_register || fence);

    // Arithmetic.
    wire [31:0] second = register ? b : imm_i;
    wire arithmetic = instruction[30];
    wire signed_less = $signed(a) < $signed(second);
    wire [31:0] shifted = $signed(a) >>> second[4:0];
    reg [31:0] result;
    always @* begin
        case (funct3)
            0: result = register && arithmetic ? a - second : a + second;
            1: result = a << second[4:0];
            2: result = {31'd0, signed_less};
            3: result = {31'd0, a < second};
            4: result = a ^ second;
            5: result = arithmetic ? shifted : a >> second[4:0];
            6: result = a | second;
            7: result = a & second;
        endcase
    end

    // Jumps.
    wire below = funct3[1] ? a < b : $signed(a) < $signed(b);
    wire condition = (funct3[2] ? below : a == b) != funct3[0];
    wire [31:0] next = pc + 4;
    wire [31:0] target = jalr ? (a + imm_i) & ~32'd1 : pc + (jal ? imm_j : imm_b);
    wire jumps = jal || jalr || (branch && condition);

    // Accesses.
    wire [31:0] sum = a + (store ? imm_s : imm_i);
    wire misaligned = (funct3[1:0] == 1 && sum[0]) || (funct3[1:0] == 2 && sum[1:0] != 0);
    wire fault = !legal || ((load || store) && misaligned) || (jumps && target[1:0] != 0);
    wire [31:0] moved = mem_rdata >> {address[1:0], 3'b000};
    reg [31:0] loaded;
    always @* begin
        case (funct3)
            0: loaded = {{24{moved[7]}}, moved[7:0]};
            1: loaded = {{16{moved[15]}}, moved[15:0]};
            4: loaded = {24'd0, moved[7:0]};
            5: loaded = {16'd0, moved[15:0]};
            default: loaded = moved;
        endcase
    end
    wire [3:0] lanes = funct3[1:0] == 0 ? 4'b0001 : funct3[1:0] == 1 ? 4'b0011 : 4'b1111;
    assign mem_valid = state == FETCH || state == MEMORY;
    assign mem_instr = state == FETCH;
    assign mem_addr = mem_instr ? pc : {address[31:2], 2'b00};
    assign mem_wdata = funct3[1:0] == 0 ? {4{b[7:0]}} : funct3[1:0] == 1 ? {2{b[15:0]}} : b;
    assign mem_wstrb = state == MEMORY && store ? lanes << address[1:0] : 4'd0;
    assign trap = state == TRAP;

    // Results.
    wire executed = state == EXECUTE && !fault && !load && !store;
    wire arrived = state == MEMORY && mem_ready && load;
    wire has_result = !branch && !store && !fence && rd != 0;
    reg [31:0] value;
    always @* begin
        value = result;
        if (load) value = loaded;
        if (lui) value = imm_u;
        if (auipc) value = pc + imm_u;
        if (jal || jalr) value = next;
    end
    always @(posedge clk) begin
        if (resetn && (executed || arrived) && has_result) registers[rd] <= value;
        if (state == FETCH && mem_ready) begin
            instruction <= mem_rdata;
            a <= registers[mem_rdata[19:15]];
            b <= registers[mem_rdata[24:20]];
        end
    end

    always @(posedge clk) begin
        if (!resetn) begin
            state <= FETCH;
            pc <= 0;
        end else case (state)
            FETCH: if (mem_ready) state <= EXECUTE;
            EXECUTE: begin
                address <= sum;
                if (fault) state <= TRAP;
                else if (load || store) state <= MEMORY;
                else begin
                    state <= FETCH;
                    pc <= jumps ? target : next;
                end
            end
            MEMORY: if (mem_ready) begin
                state <= FETCH;
                pc <= next;
            end
            TRAP: state <= TRAP;
        endcase
    end
endmodule
