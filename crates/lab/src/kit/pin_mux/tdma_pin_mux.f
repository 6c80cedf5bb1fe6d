tdma_pin_mux.v
