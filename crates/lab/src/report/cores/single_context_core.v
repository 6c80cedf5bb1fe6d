// `SingleContextCore` on the bench.
module core_on_bench(
    input clock,
    input reset,
    output request,
    output retired,
    output [31:0] address,
    output [31:0] write_data,
    output [3:0] write_strobe,
    input ready,
    input [31:0] read_data
);
    single_context_core core(
        .clock(clock),
        .reset(reset),
        .wake(1'b0),
        .retired(retired),
        .asleep(),
        .halted(),
        .cause(),
        .instruction(),
        .request(request),
        .address(address),
        .write_data(write_data),
        .write_strobe(write_strobe),
        .ready(ready),
        .read_data(read_data)
    );
endmodule
