//! The bus between the shared core and its devices.
use hdl::prelude::*;

/// Routes an access of the core to its target, and returns the data read. Combinational. The memory
/// is selected when bit 30 of the address is 0, a device when bits 30 and 7 are 1. Other accesses
/// go to the registers of the current context: the host's or a node's.
#[derive(LogicBlock, Circuit, Default)]
pub struct SharedBus {
    /// Access of the core; see [`SoftCore`](crate::core::SoftCore).
    pub request: Signal<In, Bit>,
    pub address: Signal<In, Bits<32>>,
    pub write_strobe: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub read_data: Signal<Out, Bits<32>>,
    /// The current context is the host's.
    pub is_host: Signal<In, Bit>,
    /// Offset of a register in bytes, and whether it is written.
    pub offset: Signal<Out, Bits<7>>,
    pub write: Signal<Out, Bit>,
    /// Memory; it receives the access directly.
    pub memory_ready: Signal<In, Bit>,
    pub memory_data: Signal<In, Bits<32>>,
    /// Device.
    pub device_request: Signal<Out, Bit>,
    pub device_ready: Signal<In, Bit>,
    pub device_data: Signal<In, Bits<32>>,
    /// Registers of the host.
    pub host_request: Signal<Out, Bit>,
    pub host_ready: Signal<In, Bit>,
    pub host_data: Signal<In, Bits<32>>,
    /// Registers of the node.
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
