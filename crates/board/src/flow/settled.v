    // Two-flip-flop synchronisers for asynchronous inputs: PLL lock and button.
    reg [1:0] lock_seen = 2'b00;
    reg [1:0] press_seen = 2'b00;
    always @(posedge pll_clock) begin
        lock_seen  <= {lock_seen[0], locked};
        press_seen <= {press_seen[0], ~@BUTTON@};
    end

    reg [8:0] settled = 9'd0;
    always @(posedge pll_clock) begin
        if (!lock_seen[1])
            settled <= 9'd0;
        else if (!settled[8])
            settled <= settled + 9'd1;
    end

