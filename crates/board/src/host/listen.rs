//! Listens for a simulated board at a TCP port or a pseudo-terminal. Serves one client at a time.

use super::server::{Nodes, Server};
use crate::port::{BoardPort, PortError, TcpAddress};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::str::FromStr;
use std::time::Duration;

/// Interval at which new connections and stop requests are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Board behind a port.
pub trait BoardEnd {
    /// Longest time that a read waits for bytes.
    const READ_TIMEOUT: Duration;

    /// Returns the bytes that are sent to a new client.
    fn greeting(&self) -> Vec<u8>;

    /// Takes the bytes that arrived in this interval, which may be none. Returns the bytes to send.
    ///
    /// # Errors
    /// If the board fails.
    fn receive(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>>;

    /// The client has disconnected.
    fn disconnected(&mut self);
}

impl<N: Nodes> BoardEnd for Server<N> {
    const READ_TIMEOUT: Duration = POLL_INTERVAL;

    fn greeting(&self) -> Vec<u8> {
        Server::greeting(self).into_bytes()
    }

    fn receive(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        Ok(Server::receive(self, bytes))
    }

    fn disconnected(&mut self) {
        Server::disconnected(self);
    }
}

/// A client that takes no bytes for this time is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Address at which a board listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// TCP address. Port 0 selects a free port.
    Tcp(TcpAddress),
    /// Pseudo-terminal, which clients open like a serial port.
    Pty,
}

impl FromStr for ListenAddress {
    type Err = String;

    /// Parses `pty` or a TCP address. An address without a host is on the loopback interface.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pty" => Ok(ListenAddress::Pty),
            _ => match text.parse() {
                Ok(address) => Ok(ListenAddress::Tcp(address)),
                Err(error) => Err(format!("{error}, or pty")),
            },
        }
    }
}

/// Open port of a board.
pub enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Pty(Pty),
}

/// Board end of a pseudo-terminal.
#[cfg(unix)]
pub struct Pty {
    board: serialport::TTYPort,
    path: String,
    /// Kept open, because the line would otherwise hang up after each client.
    _held: std::fs::File,
}

impl Listener {
    /// Opens the port at `address`.
    ///
    /// # Errors
    /// If the port is taken, or the system has no pseudo-terminals.
    pub fn open(address: &ListenAddress) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(TcpAddress { host, port }) => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                listener.set_nonblocking(true)?;
                Ok(Listener::Tcp(listener))
            }
            #[cfg(unix)]
            ListenAddress::Pty => Pty::open().map(Listener::Pty),
            #[cfg(not(unix))]
            ListenAddress::Pty => Err(io::Error::new(
                ErrorKind::Unsupported,
                "this system has no pseudo-terminals; accepted: tcp:PORT",
            )),
        }
    }

    /// Serves one client after the other until `is_over` returns true.
    ///
    /// # Errors
    /// If the port or the board fails. An error of a client only ends that client.
    pub fn serve<B: BoardEnd>(
        &mut self,
        board: &mut B,
        is_over: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        match self {
            Listener::Tcp(listener) => {
                let mut next = None;
                while !is_over() {
                    let stream = match next.take() {
                        Some(stream) => stream,
                        None => match listener.accept() {
                            Ok((stream, _)) => stream,
                            Err(error) if is_empty(&error) => {
                                std::thread::sleep(POLL_INTERVAL);
                                continue;
                            }
                            Err(error) => return Err(error),
                        },
                    };
                    next = serve_client(stream, listener, board, is_over)?;
                }
                Ok(())
            }
            #[cfg(unix)]
            Listener::Pty(pty) => {
                serialport::SerialPort::set_timeout(&mut pty.board, B::READ_TIMEOUT)?;
                // A pseudo-terminal does not show when clients come and go.
                while !is_over() {
                    exchange(&mut pty.board, board)?;
                }
                Ok(())
            }
        }
    }
}

/// Prints the address as clients pass it to `--port`.
impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listener::Tcp(listener) => match listener.local_addr() {
                Ok(address) => write!(f, "{}", TcpAddress::from(address)),
                Err(_) => f.write_str("tcp:"),
            },
            #[cfg(unix)]
            Listener::Pty(pty) => f.write_str(&pty.path),
        }
    }
}

#[cfg(unix)]
impl Pty {
    fn open() -> io::Result<Self> {
        use serialport::{SerialPort, TTYPort};
        let (board, host) = TTYPort::pair()?;
        let path = host.name().ok_or(ErrorKind::NotFound)?;
        // Opened as a plain file, because only one program may open it as a serial port.
        let held = std::fs::File::options().read(true).write(true).open(&path)?;
        Ok(Pty { board, path, _held: held })
    }
}

/// Serves a client until it disconnects. Other clients that connect meanwhile receive the message
/// that the board is taken. A client that connects before the end of this one is detected becomes
/// the next client.
///
/// # Errors
/// If the board fails.
fn serve_client<B: BoardEnd>(
    mut stream: TcpStream,
    listener: &TcpListener,
    board: &mut B,
    is_over: &dyn Fn() -> bool,
) -> io::Result<Option<TcpStream>> {
    // A second client, and the number of reads from the first client since it connected.
    let mut other: Option<(TcpStream, u32)> = None;
    let mut serve = || {
        // On some systems the stream inherits non-blocking mode from its listener.
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(B::READ_TIMEOUT))?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        stream.write_all(&board.greeting())?;
        while !is_over() {
            let came = exchange(&mut stream, board)?;
            if came == ReadResult::End {
                break;
            }
            other = match other.take() {
                Some((other, looks)) if came == ReadResult::Data && looks < ALIVE_READS => {
                    Some((other, looks + 1))
                }
                Some((other, _)) => {
                    reject_client(other);
                    None
                }
                None => listener.accept().ok().map(|(other, _)| (other, 0)),
            };
        }
        Ok(())
    };
    // An error of the client ends only this client.
    if let Err(ServeError::Board(error)) = serve() {
        return Err(error);
    }
    board.disconnected();
    Ok(other.map(|(other, _)| other))
}

/// Number of reads after which the first client counts as alive.
const ALIVE_READS: u32 = 20;

/// Sends the second client the message that the board is taken.
fn reject_client(mut other: TcpStream) {
    let _ = other.set_nonblocking(false);
    let _ = other.set_write_timeout(Some(POLL_INTERVAL));
    let _ = other.write_all(BUSY.as_bytes());
}

/// Message for a second client.
const BUSY: &str = "error another client has the board; accepted: one at a time\n";

/// Result of one read from a client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadResult {
    Nothing,
    Data,
    /// The client has disconnected.
    End,
}

/// Error of the line or of the board.
enum ServeError {
    Line(io::Error),
    Board(io::Error),
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        ServeError::Line(error)
    }
}

impl From<ServeError> for io::Error {
    fn from(trouble: ServeError) -> Self {
        match trouble {
            ServeError::Line(error) | ServeError::Board(error) => error,
        }
    }
}

/// Passes received bytes to the board, and its reply to the client.
fn exchange<B: BoardEnd>(
    line: &mut (impl Read + Write),
    board: &mut B,
) -> Result<ReadResult, ServeError> {
    let mut bytes = [0; 4096];
    let (came, count) = match line.read(&mut bytes) {
        Ok(0) => return Ok(ReadResult::End),
        Ok(count) => (ReadResult::Data, count),
        Err(error) if is_empty(&error) => (ReadResult::Nothing, 0),
        Err(error) => return Err(error.into()),
    };
    let reply = board.receive(&bytes[..count]).map_err(ServeError::Board)?;
    if !reply.is_empty() {
        line.write_all(&reply)?;
        line.flush()?;
    }
    Ok(came)
}

/// True if the read ended without data.
fn is_empty(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock | Interrupted)
}

// Relays bytes in both directions between a port and a board that implements the protocol itself.

/// Line to a board, such as a [virtual board](crate::virtual_board). The clock of a virtual
/// board advances only while its line is read.
pub struct Relay {
    port: Box<dyn BoardPort>,
    greeting: Vec<u8>,
}

/// Longest wait for the greeting of a board after its start, in the board's time.
const GREETING_TIMEOUT: Duration = Duration::from_millis(100);

impl Relay {
    /// Uses the line to a board that has just been switched on. The first text from the board is
    /// its greeting.
    ///
    /// # Errors
    /// If the line fails.
    pub fn new(mut port: Box<dyn BoardPort>) -> Result<Self, PortError> {
        let (mut greeting, mut waited) = (vec![], Duration::ZERO);
        while waited < GREETING_TIMEOUT && !greeting.ends_with(b"ready\n") {
            let (came, took) = port.receive()?;
            greeting.extend(came);
            waited += took;
        }
        Ok(Relay { port, greeting })
    }
}

impl BoardEnd for Relay {
    /// A short wait, because the board advances only while its line is read.
    const READ_TIMEOUT: Duration = Duration::from_millis(1);

    fn greeting(&self) -> Vec<u8> {
        self.greeting.clone()
    }

    fn receive(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        self.port.send(bytes).map_err(io::Error::other)?;
        let (came, _) = self.port.receive().map_err(io::Error::other)?;
        Ok(came)
    }

    /// Does nothing, because the board itself finds the start of the next frame.
    fn disconnected(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::PortName;

    #[test]
    fn addresses_are_parsed() {
        let tcp = |host: &str, port| {
            let host = host.to_owned();
            Ok(ListenAddress::Tcp(TcpAddress { host, port }))
        };
        assert_eq!("tcp:0".parse(), tcp("127.0.0.1", 0));
        assert_eq!("tcp:[::1]:77".parse(), tcp("::1", 77));
        assert_eq!("pty".parse(), Ok(ListenAddress::Pty));
        for wrong in ["", "tcp:x", "udp:7", "77"] {
            assert!(wrong.parse::<ListenAddress>().is_err(), "{wrong}");
        }
    }

    /// Clients accept the address that a board prints.
    #[test]
    fn the_printed_address_is_accepted_by_clients() {
        for given in ["tcp:0", "tcp:[::1]:0"] {
            let address: ListenAddress = given.parse().unwrap();
            let listener = match Listener::open(&address) {
                // Not every computer has IPv6.
                Err(error) if error.kind() == ErrorKind::AddrNotAvailable => continue,
                listener => listener.unwrap(),
            };
            let printed: TcpAddress = listener.to_string().parse().unwrap();
            assert!(printed.port > 0);
            crate::port::open(&PortName::Tcp(printed), 1).map(drop).unwrap();
        }
    }
}
