//! Addresses of boards: one grammar for `--port`, `--listen` and the clients.
//!
//! ```text
//! tcp:PORT  tcp:HOST:PORT  tcp:[IPV6]:PORT  pty  a serial port
//! ```
//!
//! The client in Python reads them in the same way. Both are tested on
//! `host/python/tests/addresses.txt`.

use std::ffi::OsStr;
use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use thiserror::Error;

/// Prefix of the address of a TCP port.
const TCP: &str = "tcp:";

/// Host of an address without one.
const LOCAL: &str = "127.0.0.1";

/// TCP port of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpAddress {
    /// Name or number, an IPv6 address without its brackets.
    pub host: String,
    pub port: u16,
}

/// Where a client reaches a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortName {
    Tcp(TcpAddress),
    /// Serial port or pseudo-terminal.
    Device(PathBuf),
}

/// Text that is not a TCP address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not an address; accepted: tcp:PORT, tcp:HOST:PORT or tcp:[IPV6]:PORT")]
pub struct AddressError(String);

impl FromStr for TcpAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let read = || {
            let place = text.strip_prefix(TCP)?;
            let (host, port) = place.rsplit_once(':').unwrap_or((LOCAL, place));
            let in_brackets = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
            let (host, is_ipv6) = match in_brackets {
                Some(host) => (host, true),
                None => (host, host.contains(':')),
            };
            let good = match is_ipv6 {
                // The text after % is the interface of a link-local address.
                true => host.split('%').next()?.parse::<Ipv6Addr>().is_ok(),
                false => !host.is_empty() && !host.contains(['[', ']']),
            };
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|_| digits)?;
            let host = host.to_owned();
            good.then_some(TcpAddress { host, port })
        };
        read().ok_or_else(|| AddressError(text.to_owned()))
    }
}

impl From<SocketAddr> for TcpAddress {
    fn from(address: SocketAddr) -> Self {
        let mut host = address.ip().to_string();
        if let SocketAddr::V6(address) = address {
            if address.scope_id() != 0 {
                host += &format!("%{}", address.scope_id());
            }
        }
        let port = address.port();
        TcpAddress { host, port }
    }
}

impl fmt::Display for TcpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TcpAddress { host, port } = self;
        match host.contains(':') {
            true => write!(f, "{TCP}[{host}]:{port}"),
            false => write!(f, "{TCP}{host}:{port}"),
        }
    }
}

impl PortName {
    /// Parses a command-line word. The path of a device may be invalid UTF-8.
    ///
    /// # Errors
    /// If the word begins with `tcp:` and is not a valid TCP address.
    pub fn from_word(word: &OsStr) -> Result<Self, AddressError> {
        match word.to_str().filter(|text| text.starts_with(TCP)) {
            Some(text) => text.parse().map(PortName::Tcp),
            None => Ok(PortName::Device(word.into())),
        }
    }
}

impl fmt::Display for PortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortName::Tcp(address) => write!(f, "{address}"),
            PortName::Device(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of the Python client read the same table.
    #[test]
    fn addresses_are_those_of_the_table() {
        let table = include_str!("../../../host/python/tests/addresses.txt");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        let mut accepted = 0;
        for row in rows {
            let cells: Vec<&str> = row.split_whitespace().collect();
            let read: Result<TcpAddress, AddressError> = cells[0].parse();
            let [host, port] = cells[1..] else {
                let says = read.expect_err(cells[0]).to_string();
                assert!(says.ends_with("tcp:HOST:PORT or tcp:[IPV6]:PORT"), "{says}");
                continue;
            };
            let read = read.unwrap();
            assert_eq!((&*read.host, read.port.to_string().as_str()), (host, port));
            // `Display` prints an address in a form that the parser accepts.
            assert_eq!(read.to_string().parse(), Ok(read));
            accepted += 1;
        }
        assert!(accepted > 5);
        assert_eq!(
            "7700".parse::<TcpAddress>(),
            Err(AddressError("7700".into()))
        );
    }
}
