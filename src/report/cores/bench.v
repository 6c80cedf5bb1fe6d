// A core with 64 KB of memory in which every word is ready one clock cycle after the
// request, and counters of what it does. A store to 0x80000004 is its result, one to
// 0x80000000 ends the run.
module bench(
    input clock,
    output reg done,
    output reg [31:0] result,
    // From the end of the reset to `done`.
    output reg [31:0] clock_cycles,
    // Instructions finished in that time, as far as the core tells.
    output reg [31:0] instructions
);
    reg [31:0] memory [0:16383];
    reg [3:0] age;
    reg ready;
    reg [31:0] word;
    wire reset = age != 15;
    wire request, retired;
    wire [31:0] address, write_data;
    wire [3:0] write_strobe;
    wire begins = request && !ready && !reset;
    wire [31:0] mask = {
        {8{write_strobe[3]}}, {8{write_strobe[2]}}, {8{write_strobe[1]}}, {8{write_strobe[0]}}
    };
    wire [31:0] old = memory[address[15:2]];

    initial begin
        $readmemh("../program.hex", memory);
        age = 0;
        ready = 0;
        word = 0;
        done = 0;
        result = 0;
        clock_cycles = 0;
        instructions = 0;
    end

    always @(posedge clock) begin
        if (reset) age <= age + 1;
        ready <= begins;
        word <= old;
        if (begins) begin
            if (write_strobe != 0) begin
                if (!address[31]) memory[address[15:2]] <= (old & ~mask) | (write_data & mask);
                else if (address[2]) result <= write_data;
                else done <= 1;
            end
        end
        if (!reset && !done) clock_cycles <= clock_cycles + 1;
        if (retired && !done) instructions <= instructions + 1;
    end

    core_on_bench core(
        .clock(clock),
        .reset(reset),
        .request(request),
        .retired(retired),
        .address(address),
        .write_data(write_data),
        .write_strobe(write_strobe),
        .ready(ready),
        .read_data(word)
    );
endmodule
