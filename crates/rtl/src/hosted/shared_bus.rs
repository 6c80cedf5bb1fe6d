//! From the core that all share to what it reaches.

use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Leads an access of the core to the memory (bit 30 of the address is 0), to a device
/// (bits 30 and 7 are 1), or to the registers of the host, or of the node whose context it
/// is; and what was read back. Combinational.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedBus {
    /// The access, as that of [`SoftCore`](crate::core::SoftCore).
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    pub write_strobe: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub read_data: Signal<Out, Bits<32>>,
    /// The context is the host's.
    pub is_host: Signal<In, Bit>,
    /// Of a register: its offset in bytes; it is written.
    pub offset: Signal<Out, Bits<7>>,
    pub write: Signal<Out, Bit>,
    /// To the memory, which sees the access itself.
    pub memory_ready: Signal<In, Bit>,
    pub memory_data: Signal<In, Bits<32>>,
    /// To the device.
    pub device_request: Signal<Out, Bit>,
    pub device_ready: Signal<In, Bit>,
    pub device_data: Signal<In, Bits<32>>,
    /// To the host's registers.
    pub host_request: Signal<Out, Bit>,
    pub host_ready: Signal<In, Bit>,
    pub host_data: Signal<In, Bits<32>>,
    /// To the node's.
    pub node_request: Signal<Out, Bit>,
    pub node_ready: Signal<In, Bit>,
    pub node_data: Signal<In, Bits<32>>,
}

impl Logic for SharedBus {
    #[kernel]
    fn update(&mut self) {
        let is_host = self.is_host.val();
        let bus = self.address.val();
        let to_port = self.request.val() & bus.get_bit(30);
        let to_device = bus.get_bit(7);
        self.offset.next = bus.resized();
        self.write.next = self.write_strobe.val().any();
        self.device_request.next = to_port & to_device;
        self.host_request.next = to_port & !to_device & is_host;
        self.node_request.next = to_port & !to_device & !is_host;
        let memory = self.memory_ready.val();
        let device = self.device_ready.val();
        self.ready.next = memory | device | self.node_ready.val() | self.host_ready.val();
        self.read_data.next = if memory {
            self.memory_data.val()
        } else if device {
            self.device_data.val()
        } else if is_host {
            self.host_data.val()
        } else {
            self.node_data.val()
        };
    }
}
