//! Where a simulated board is reached: a TCP port or a pseudo-terminal. One client at a time.

use super::server::{Nodes, Server};
use crate::board::port::TCP;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::str::FromStr;
use std::time::Duration;

/// How often somebody who asks the board to stop is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How long a client may take nothing of what it is sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a board listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Host and port; port 0 is one that is free.
    Tcp(String, u16),
    /// A pseudo-terminal, which is like a serial port for who opens it.
    Pty,
}

impl FromStr for Address {
    type Err = String;

    /// `tcp:PORT` on this computer alone, `tcp:HOST:PORT`, or `pty`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("accepted: {TCP}PORT, {TCP}HOST:PORT or pty");
        if text == "pty" {
            return Ok(Address::Pty);
        }
        let place = text.strip_prefix(TCP).ok_or_else(wrong)?;
        let (host, port) = place.rsplit_once(':').unwrap_or(("127.0.0.1", place));
        let port = port.parse().map_err(|_| wrong())?;
        match host.is_empty() {
            true => Err(wrong()),
            false => Ok(Address::Tcp(host.to_owned(), port)),
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
            Address::Tcp(host, port) => {
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
    /// If the port fails, not only a client.
    pub fn serve<N: Nodes>(
        &mut self,
        server: &mut Server<N>,
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
                    next = client(stream, listener, server, is_over);
                }
                Ok(())
            }
            #[cfg(unix)]
            Listener::Pty(pty) => {
                // Clients come and go unseen.
                while !is_over() {
                    look(&mut pty.board, server)?;
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
                Ok(address) => write!(f, "{TCP}{address}"),
                Err(_) => f.write_str(TCP),
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
        let (mut board, host) = TTYPort::pair()?;
        board.set_timeout(LOOK)?;
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
fn client<N: Nodes>(
    mut stream: TcpStream,
    listener: &TcpListener,
    server: &mut Server<N>,
    is_over: &dyn Fn() -> bool,
) -> Option<TcpStream> {
    // Another one, and how often the client was looked at since.
    let mut other: Option<(TcpStream, u32)> = None;
    let mut serve = || {
        // On some systems it has inherited that from its listener.
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(server.greeting().as_bytes())?;
        while !is_over() {
            let came = look(&mut stream, server)?;
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
        io::Result::Ok(())
    };
    // A client that fails is a client that is gone.
    let _ = serve();
    server.hang_up();
    other.map(|(other, _)| other)
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

/// Answers what comes in a moment.
fn look<N: Nodes>(line: &mut (impl Read + Write), server: &mut Server<N>) -> io::Result<Came> {
    let mut bytes = [0; 4096];
    match line.read(&mut bytes) {
        Ok(0) => Ok(Came::End),
        Ok(count) => {
            let reply = server.take(&bytes[..count]);
            line.write_all(&reply)?;
            line.flush()?;
            Ok(Came::Something)
        }
        Err(error) if is_empty(&error) => Ok(Came::Nothing),
        Err(error) => Err(error),
    }
}

/// Nothing has come yet.
fn is_empty(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), TimedOut | WouldBlock | Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let tcp = |host: &str, port| Ok(Address::Tcp(host.to_owned(), port));
        assert_eq!("tcp:0".parse(), tcp("127.0.0.1", 0));
        assert_eq!("tcp:localhost:77".parse(), tcp("localhost", 77));
        assert_eq!("pty".parse(), Ok(Address::Pty));
        for wrong in ["", "tcp:", "tcp:x", "tcp::7", "tcp:a:70000", "udp:7", "77"] {
            let read: Result<Address, String> = wrong.parse();
            assert!(
                read.is_err_and(|why| why.contains("tcp:HOST:PORT")),
                "{wrong}"
            );
        }
    }
}
