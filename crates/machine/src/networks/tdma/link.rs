//! Properties of links: answers of receivers, service order of buffers, and delivery order of
//! messages.

use super::cube::SyncSource;
use crate::flags::FlagChoice;
use crate::networks::NetworkError;
use clap::Args;
use interconnect::routing::tdma::{Routing, ServiceOrder};

/// Reaction of a receiver to a frame (docs/machine.md, "Receive buffer").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The receiver answers. A frame without an answer is repeated.
    Acked,
    /// The receiver does not answer, as in the published machine. Messages may be lost.
    Raw,
}

impl FlagChoice for LinkKind {
    const OPTION_NAME: &'static str = "link";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("acked", Self::Acked), ("raw", Self::Raw)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for ServiceOrder {
    const OPTION_NAME: &'static str = "service order";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("turns", Self::RoundRobin), ("ascending", Self::Ascending)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for SyncSource {
    const OPTION_NAME: &'static str = "sync source";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("wire", Self::Wire), ("own", Self::Local)];
    const RESERVED: &'static [&'static str] = &[];
}

impl FlagChoice for Routing {
    const OPTION_NAME: &'static str = "routing";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("ecube", Self::ECube), ("adaptive", Self::Adaptive)];
    const RESERVED: &'static [&'static str] = &[];
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct LinkFlags {
    /// Links of the TDMA machine: acked, which lose nothing; or raw, the published links without
    /// answers, which lose messages [default: acked]
    #[arg(long, value_name = "NAME", value_parser = LinkKind::parser(), hide_possible_values = true)]
    pub link: Option<LinkKind>,

    /// Buffer that a TDMA link serves first, with e-cube routing: turns, the one after the last
    /// that was served; or ascending, the lowest, as raw links always do, so that others may starve
    /// [default: turns]
    #[arg(long, value_name = "NAME", value_parser = ServiceOrder::parser(), hide_possible_values = true)]
    pub service_order: Option<ServiceOrder>,
}

impl LinkFlags {
    /// Refuses a service order that the link does not support.
    ///
    /// # Errors
    /// If buffers of raw links are to be served in turns.
    pub fn check(&self) -> Result<(), NetworkError> {
        match (self.link(), self.service_order) {
            (LinkKind::Raw, Some(ServiceOrder::RoundRobin)) => Err(NetworkError::bad(
                "--service-order turns does not go with --link raw, whose buffers are served in \
                 ascending order; accepted: --service-order ascending, or no --service-order",
            )),
            _ => Ok(()),
        }
    }

    pub fn link(&self) -> LinkKind {
        self.link.unwrap_or(LinkKind::Acked)
    }

    pub fn service_order(&self) -> ServiceOrder {
        self.service_order.unwrap_or(ServiceOrder::RoundRobin)
    }
}
