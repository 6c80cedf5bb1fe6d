    reg [14:0] pressed = 15'd0;
    always @(posedge pll_clock) begin
        if (!press_seen[1])
            pressed <= 15'd0;
        else if (!pressed[14])
            pressed <= pressed + 15'd1;
    end
