//! Where a board is reached that is no real one: a TCP port or a pseudo-terminal. One client at a
//! time.

use super::server::{Nodes, Server};
use crate::board::address::TcpAddress;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::str::FromStr;
use std::time::Duration;

/// How often somebody who connects, or asks the board to stop, is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// What is behind a port.
pub trait BoardEnd {
    /// How long it waits for something to come, at most.
    const LOOK: Duration;

    /// What it says to who connects.
    fn greeting(&self) -> Vec<u8>;

    /// Takes what came in a moment, if anything did; what is to be sent back.
    ///
    /// # Errors
    /// If the board fails.
    fn take(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>>;

    /// Who was at the other end is gone.
    fn hang_up(&mut self);
}

impl<N: Nodes> BoardEnd for Server<N> {
    const LOOK: Duration = LOOK;

    fn greeting(&self) -> Vec<u8> {
        Server::greeting(self).into_bytes()
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        Ok(Server::take(self, bytes))
    }

    fn hang_up(&mut self) {
        Server::hang_up(self);
    }
}

/// How long a client may take nothing of what it is sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a board listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Port 0 is one that is free.
    Tcp(TcpAddress),
    /// A pseudo-terminal, which is like a serial port for who opens it.
    Pty,
}

impl FromStr for Address {
    type Err = String;

    /// A TCP address, of this computer alone without a host; or `pty`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pty" => Ok(Address::Pty),
            _ => match text.parse() {
                Ok(address) => Ok(Address::Tcp(address)),
                Err(error) => Err(format!("{error}, or pty")),
            },
        }
    }
}

/// A board's port, which is open.
pub enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Pty(Pty),
}

/// A pseudo-terminal: the board's end of it.
#[cfg(unix)]
pub struct Pty {
    board: serialport::TTYPort,
    path: String,
    /// Kept open, or the line would be hung up with each client.
    _held: std::fs::File,
}

impl Listener {
    /// # Errors
    /// If the port is taken, or there are no pseudo-terminals.
    pub fn open(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(TcpAddress { host, port }) => {
                let listener = TcpListener::bind((host.as_str(), *port))?;
                listener.set_nonblocking(true)?;
                Ok(Listener::Tcp(listener))
            }
            #[cfg(unix)]
            Address::Pty => Pty::open().map(Listener::Pty),
            #[cfg(not(unix))]
            Address::Pty => Err(io::Error::new(
                ErrorKind::Unsupported,
                "this system has no pseudo-terminals; accepted: tcp:PORT",
            )),
        }
    }

    /// Serves one client after the other until `is_over`.
    ///
    /// # Errors
    /// If the port fails, not only a client; or the board.
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
                                std::thread::sleep(LOOK);
                                continue;
                            }
                            Err(error) => return Err(error),
                        },
                    };
                    next = client(stream, listener, board, is_over)?;
                }
                Ok(())
            }
            #[cfg(unix)]
            Listener::Pty(pty) => {
                serialport::SerialPort::set_timeout(&mut pty.board, B::LOOK)?;
                // Clients come and go unseen.
                while !is_over() {
                    look(&mut pty.board, board)?;
                }
                Ok(())
            }
        }
    }
}

/// As clients give it to `--port`.
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
        // Not as a serial port, which one program alone may have.
        let held = std::fs::File::options()
            .read(true)
            .write(true)
            .open(&path)?;
        Ok(Pty {
            board,
            path,
            _held: held,
        })
    }
}

/// Serves a client to its end. Whoever else comes meanwhile is told that the board is taken;
/// who came when the client was gone, but not known to be, is the next.
///
/// # Errors
/// If the board fails.
fn client<B: BoardEnd>(
    mut stream: TcpStream,
    listener: &TcpListener,
    board: &mut B,
    is_over: &dyn Fn() -> bool,
) -> io::Result<Option<TcpStream>> {
    // Another one, and how often the client was looked at since.
    let mut other: Option<(TcpStream, u32)> = None;
    let mut serve = || {
        // On some systems it has inherited that from its listener.
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(B::LOOK))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(&board.greeting())?;
        while !is_over() {
            let came = look(&mut stream, board)?;
            if came == Came::End {
                break;
            }
            other = match other.take() {
                Some((other, looks)) if came == Came::Something && looks < LOOKS => {
                    Some((other, looks + 1))
                }
                Some((other, _)) => {
                    refuse(other);
                    None
                }
                None => listener.accept().ok().map(|(other, _)| (other, 0)),
            };
        }
        Ok(())
    };
    // A client that fails is a client that is gone.
    if let Err(Trouble::OfBoard(error)) = serve() {
        return Err(error);
    }
    board.hang_up();
    Ok(other.map(|(other, _)| other))
}

/// A client that says so much is not gone.
const LOOKS: u32 = 20;

/// Tells a second client that there is a first.
fn refuse(mut other: TcpStream) {
    let _ = other.set_nonblocking(false);
    let _ = other.set_write_timeout(Some(LOOK));
    let _ = other.write_all(BUSY.as_bytes());
}

/// What a second client is told.
const BUSY: &str = "error another client has the board; accepted: one at a time\n";

/// What came of a client in a moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Nothing,
    Something,
    /// It is gone.
    End,
}

/// What can fail.
enum Trouble {
    OfLine(io::Error),
    OfBoard(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::OfLine(error)
    }
}

impl From<Trouble> for io::Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::OfLine(error) | Trouble::OfBoard(error) => error,
        }
    }
}

/// Hands over what comes in a moment, and back what the board says.
fn look<B: BoardEnd>(line: &mut (impl Read + Write), board: &mut B) -> Result<Came, Trouble> {
    let mut bytes = [0; 4096];
    let (came, count) = match line.read(&mut bytes) {
        Ok(0) => return Ok(Came::End),
        Ok(count) => (Came::Something, count),
        Err(error) if is_empty(&error) => (Came::Nothing, 0),
        Err(error) => return Err(error.into()),
    };
    let reply = board.take(&bytes[..count]).map_err(Trouble::OfBoard)?;
    if !reply.is_empty() {
        line.write_all(&reply)?;
        line.flush()?;
    }
    Ok(came)
}

/// Nothing has come yet.
fn is_empty(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock | Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::address::PortName;

    #[test]
    fn addresses_are_read() {
        let tcp = |host: &str, port| {
            let host = host.to_owned();
            Ok(Address::Tcp(TcpAddress { host, port }))
        };
        assert_eq!("tcp:0".parse(), tcp("127.0.0.1", 0));
        assert_eq!("tcp:[::1]:77".parse(), tcp("::1", 77));
        assert_eq!("pty".parse(), Ok(Address::Pty));
        for wrong in ["", "tcp:x", "udp:7", "77"] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }

    /// What a board prints is what its clients take.
    #[test]
    fn the_address_that_is_printed_is_one() {
        for given in ["tcp:0", "tcp:[::1]:0"] {
            let address: Address = given.parse().unwrap();
            let listener = match Listener::open(&address) {
                // Not every computer has IPv6.
                Err(error) if error.kind() == ErrorKind::AddrNotAvailable => continue,
                listener => listener.unwrap(),
            };
            let printed: TcpAddress = listener.to_string().parse().unwrap();
            assert!(printed.port > 0);
            crate::board::port::open(&PortName::Tcp(printed), 1)
                .map(drop)
                .unwrap();
        }
    }
}
