// A core with 64 KB of memory in which every word is ready one clock cycle after the
// request, and counters of what it does. With bit 23 of the address set, which cores of
// 24-bit addresses have too, a store is to a register: to 0x00800000 it ends the run, to
// 0x00800004 it is the result, to 0x00800008 it begins (1) or ends (0) what is counted.
// A load from there is the clock cycles counted.
module bench(
    input clock,
    output reg done,
    output reg [31:0] result,
    // From the end of the reset to `done`, if the program does not say from when to when.
    output reg [31:0] clock_cycles,
    // Instructions finished in that time, as far as the core tells.
    output reg [31:0] instructions
);
    reg [31:0] memory [0:16383];
    reg [3:0] age;
    reg counts;
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
        counts = 1;
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
        word <= address[23] ? clock_cycles : old;
        if (!reset && !done && counts) begin
            clock_cycles <= clock_cycles + 1;
            if (retired) instructions <= instructions + 1;
        end
        if (begins && write_strobe != 0) begin
            if (!address[23]) memory[address[15:2]] <= (old & ~mask) | (write_data & mask);
            else if (address[3]) begin
                counts <= write_data[0];
                if (write_data[0]) begin
                    clock_cycles <= 0;
                    instructions <= 0;
                end
            end
            else if (address[2]) result <= write_data;
            else done <= 1;
        end
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
