// A core with 64 KB of memory and performance counters. Every word is ready one clock cycle after
// the request. If bit 23 of the address is set, a store goes to a register (cores with 24-bit
// addresses have this bit, too):
// - 0x00800000: ends the run;
// - 0x00800004: result;
// - 0x00800008: starts (1) or stops (0) the counters.
//
// A load with bit 23 set returns the number of counted clock cycles.
module bench(
    input clock,
    output reg done,
    output reg [31:0] result,
    // From the end of the reset to `done`, unless the program starts and stops the counters.
    output reg [31:0] clock_cycles,
    // Instructions finished in that time, or 0 if the core does not report them.
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
