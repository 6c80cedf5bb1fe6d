//! Host port of a board: serial for a real board, TCP for a simulated one, or the line of a virtual
//! board.

use super::virtual_board::VirtualBoard;
use machine::wave::decode_uart;
use serialport::{ClearBuffer, SerialPort};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};
use thiserror::Error;
use toolchain::ToolError;

/// Host end of the line to a board.
pub trait BoardPort {
    /// Sends all bytes to the board.
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError>;

    /// Returns the bytes of the next short interval, and its length in the board's time.
    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError>;
}

/// Opens the port in `--port`: a TCP port, or a serial port or pseudo-terminal at `baud` bit-times
/// per second.
///
/// # Errors
/// If the port does not exist, or cannot be opened.
pub fn open(name: &PortName, baud: u32) -> Result<Box<dyn BoardPort>, PortError> {
    match name {
        PortName::Tcp(address) => Ok(Box::new(TcpPort::open(address)?)),
        PortName::Device(path) => Ok(Box::new(SystemPort::open(path, baud)?)),
    }
}

#[derive(Debug, Error)]
pub enum PortError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("{address}: {what}")]
    Tcp { address: TcpAddress, what: String },
    #[error("the serial port {}: {what}", path.display())]
    Serial { path: PathBuf, what: String },
    #[error(transparent)]
    Simulation(#[from] ToolError),
    #[error("the virtual board sent a byte without a stop bit at {baud} baud; accepted: --baud with the rate of its image")]
    Framing { baud: u32 },
}

/// Serial port of this computer.
pub struct SystemPort {
    path: PathBuf,
    port: Box<dyn SerialPort>,
}

/// Longest time of one read from a serial port.
const READ_TIMEOUT: Duration = Duration::from_millis(50);

/// Longest time for which a board may accept no bytes.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

impl SystemPort {
    /// Opens a serial port: 8N1, no handshake.
    ///
    /// # Errors
    /// If the port does not exist, or cannot be opened.
    pub fn open(path: &Path, baud: u32) -> Result<Self, PortError> {
        let Some(name) = path.to_str() else {
            return Err(PortError::Serial {
                path: path.into(),
                what: "the path is not UTF-8; accepted: a link to it whose path is".into(),
            });
        };
        let port = serialport::new(name, baud).timeout(READ_TIMEOUT).open();
        let port = port.map_err(|error| PortError::Serial {
            path: path.into(),
            what: cannot_open(path, error.kind(), &error.description),
        })?;
        // Bytes that arrived before the port was opened are a partial line.
        let _ = port.clear(ClearBuffer::Input);
        Ok(SystemPort { path: path.into(), port })
    }

    fn port_error(&self, error: std::io::Error) -> PortError {
        PortError::Serial {
            path: self.path.clone(),
            what: match error.kind() {
                ErrorKind::BrokenPipe | ErrorKind::NotConnected => "the board is gone".into(),
                ErrorKind::TimedOut => write_timeout_text(),
                _ => error.to_string(),
            },
        }
    }
}

fn write_timeout_text() -> String {
    format!("the board has taken nothing for {} s", WRITE_TIMEOUT.as_secs())
}

/// Error text for a serial port that cannot be opened, with a remedy.
fn cannot_open(path: &Path, kind: serialport::ErrorKind, what: &str) -> String {
    use serialport::ErrorKind as Kind;
    match kind {
        Kind::NoDevice if path.exists() => format!("{what}; another program may be using it"),
        Kind::NoDevice | Kind::Io(ErrorKind::NotFound) => {
            format!("{what}; plug the board in, or give its port with --port")
        }
        Kind::Io(ErrorKind::PermissionDenied) => format!(
            "{what}; you need the right to use it: sudo usermod -aG dialout $USER, and log in again"
        ),
        _ => what.into(),
    }
}

impl BoardPort for SystemPort {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        let began = Instant::now();
        let mut left = bytes;
        while !left.is_empty() {
            match self.port.write(left) {
                Ok(count) => left = &left[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A board that computes does not read for a moment.
                Err(error)
                    if error.kind() == ErrorKind::TimedOut && began.elapsed() < WRITE_TIMEOUT => {}
                Err(error) => return Err(self.port_error(error)),
            }
        }
        let flushed = self.port.flush();
        flushed.map_err(|error| self.port_error(error))
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        let began = Instant::now();
        let mut bytes = vec![0; 4096];
        let count = match self.port.read(&mut bytes) {
            Ok(count) => count,
            Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => 0,
            Err(error) => return Err(self.port_error(error)),
        };
        bytes.truncate(count);
        Ok((bytes, began.elapsed()))
    }
}

/// TCP port of a simulated board.
pub struct TcpPort {
    address: TcpAddress,
    stream: TcpStream,
}

impl TcpPort {
    /// # Errors
    /// If no board listens at the address.
    pub fn open(address: &TcpAddress) -> Result<Self, PortError> {
        let open = || {
            let stream = TcpStream::connect((address.host.as_str(), address.port))?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(READ_TIMEOUT))?;
            stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
            Ok(stream)
        };
        let stream = open().map_err(|error: std::io::Error| PortError::Tcp {
            address: address.clone(),
            what: format!("{error}; accepted: an address at which phasecube board listens"),
        })?;
        Ok(TcpPort { address: address.clone(), stream })
    }

    fn port_error(&self, what: impl ToString) -> PortError {
        PortError::Tcp { address: self.address.clone(), what: what.to_string() }
    }
}

impl BoardPort for TcpPort {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        let sent = self.stream.write_all(bytes);
        sent.map_err(|error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.port_error(write_timeout_text()),
            _ => self.port_error(error),
        })
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        use ErrorKind::{Interrupted, TimedOut, WouldBlock};
        let began = Instant::now();
        let mut bytes = vec![0; 4096];
        let count = match self.stream.read(&mut bytes) {
            Ok(0) => return Err(self.port_error("the board is gone")),
            Ok(count) => count,
            Err(e) if matches!(e.kind(), TimedOut | WouldBlock | Interrupted) => 0,
            Err(error) => return Err(self.port_error(error)),
        };
        bytes.truncate(count);
        Ok((bytes, began.elapsed()))
    }
}

/// Port of a virtual board: a UART at the host end of its line.
pub struct VirtualPort {
    board: VirtualBoard,
    baud: u32,
    clocks_per_bit: usize,
    /// Levels still to be sent, one per clock cycle.
    outgoing: VecDeque<bool>,
    /// Levels received from the board since the end of the last byte.
    incoming: Vec<bool>,
}

/// Clock cycles of one read from a virtual board.
const READ_CYCLES: usize = 4096;

impl VirtualPort {
    /// Uses 8N1 at `baud` bit-times per second of the board's time.
    pub fn new(board: VirtualBoard, baud: u32) -> Self {
        let clocks = board.clock_mhz() * 1e6 / f64::from(baud);
        VirtualPort {
            board,
            baud,
            clocks_per_bit: clocks.round() as usize,
            outgoing: VecDeque::new(),
            incoming: Vec::new(),
        }
    }

    pub fn board(&self) -> &VirtualBoard {
        &self.board
    }
}

impl BoardPort for VirtualPort {
    fn send(&mut self, bytes: &[u8]) -> Result<(), PortError> {
        for byte in bytes {
            let data = (0..8).map(|bit| byte >> bit & 1 == 1);
            for bit in [false].into_iter().chain(data).chain([true]) {
                self.outgoing.extend(std::iter::repeat_n(bit, self.clocks_per_bit));
            }
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<(Vec<u8>, Duration), PortError> {
        let rx: Vec<bool> =
            (0..READ_CYCLES).map(|_| self.outgoing.pop_front().unwrap_or(true)).collect();
        let seen = self.board.run(&rx)?;
        self.incoming.extend(seen.iter().map(|seen| seen.tx));
        let bytes = decode_uart(&self.incoming, self.clocks_per_bit);
        if let Some(last) = bytes.last() {
            // The next start bit may begin as early as the middle of the stop bit.
            let end = last.start + 9 * self.clocks_per_bit + self.clocks_per_bit / 2;
            self.incoming.drain(..end);
        }
        if self.incoming.iter().all(|level| *level) {
            self.incoming.clear();
        }
        if bytes.iter().any(|byte| !byte.stop_bit_high) {
            return Err(PortError::Framing { baud: self.baud });
        }
        let micros = READ_CYCLES as f64 / self.board.clock_mhz();
        Ok((
            bytes.iter().map(|byte| byte.value).collect(),
            Duration::from_nanos((micros * 1e3) as u64),
        ))
    }
}

// Addresses of boards: one grammar for `--port`, `--listen` and the clients.
//
// ```text
// tcp:PORT  tcp:HOST:PORT  tcp:[IPV6]:PORT  pty  a serial port
// ```
//
// The client in Python reads them in the same way. Both are tested on
// `host/python/tests/addresses.txt`.

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
    use serialport::ErrorKind as Kind;

    /// The error of a port that another program uses depends on the user's rights. The test
    /// therefore checks the advice without a port.
    #[test]
    fn each_open_error_has_advice() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let nowhere = here.join("no-such-port");
        let denied = Kind::Io(ErrorKind::PermissionDenied);
        let missing = Kind::Io(ErrorKind::NotFound);
        for (path, kind, remedy) in [
            (here, Kind::NoDevice, "another program may be using it"),
            (&nowhere, Kind::NoDevice, "plug the board in"),
            (&nowhere, missing, "plug the board in"),
            (here, denied, "usermod -aG dialout"),
        ] {
            let printed = cannot_open(path, kind, "refused");
            assert!(printed.starts_with("refused; ") && printed.contains(remedy), "{printed}");
        }
    }
}

#[cfg(test)]
mod address_tests {
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
        assert_eq!("7700".parse::<TcpAddress>(), Err(AddressError("7700".into())));
    }
}
