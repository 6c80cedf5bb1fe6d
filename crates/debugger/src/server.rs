//! The GDB server of one node: an observer that stops the machine while the node is stopped.

use crate::core::{CoreProbe, CoreStop, NoCore};
use crate::target::{GdbTarget, Resume};
use engine::{EngineError, NodeEngine, Observer};
use gdbstub::common::Signal;
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError, SingleThreadStopReason};
use machine::program::NodeMemory;
use rtl::core::Cause;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Longest time between two checks of the stop flag.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Clock cycles between two looks for data from GDB, or for a new connection, while the node runs.
const POLL_INTERVAL: u64 = 512;

/// Longest time that a write to GDB takes. After it the connection counts as closed.
const WRITE_LIMIT: Duration = Duration::from_secs(2);

/// The server cannot be started.
#[derive(Debug, Error)]
pub enum GdbServerError {
    #[error(transparent)]
    NoCore(#[from] NoCore),
    #[error(
        "{address} cannot be used: {source}; accepted: another address, or port 0 for a free one"
    )]
    Address { address: SocketAddr, source: io::Error },
}

/// Node whose program is debugged.
pub struct DebuggedProgram {
    pub node: usize,
    /// Bytes of the program store, from address 0 on.
    pub program: Vec<u8>,
    pub memory: NodeMemory,
    /// If set, the server does not wait for GDB any more.
    pub stop: Arc<AtomicBool>,
    /// Prints a line about the connection.
    pub note: fn(&str),
}

type Stub = GdbStubStateMachine<'static, GdbTarget, GdbConnection>;
type StubError = GdbStubError<Infallible, io::Error>;

/// State of the connection.
enum Session {
    /// The machine waits for the first connection.
    Waiting,
    /// GDB has connected, and the node does not stand between two instructions yet.
    Accepted(GdbConnection),
    Open(Stub),
    /// There is no connection, and the machine runs.
    Closed,
}

/// Observer that serves the remote protocol of GDB.
pub struct GdbServer {
    listener: TcpListener,
    probe: CoreProbe,
    target: GdbTarget,
    session: Session,
    stop: Arc<AtomicBool>,
    note: fn(&str),
    /// The node stops before its next instruction.
    interrupted: bool,
    /// The halt of the core was reported to GDB.
    halt_reported: bool,
    /// Context of the core in which a step is done.
    context: usize,
    next_poll: u64,
}

impl GdbServer {
    /// Listens at this address. The first look of the observer waits for a connection.
    ///
    /// # Errors
    /// If the node has no soft core, or the address cannot be used.
    pub fn start(
        engine: &mut dyn NodeEngine,
        program: DebuggedProgram,
        address: SocketAddr,
    ) -> Result<Self, GdbServerError> {
        let probe = CoreProbe::new(engine, program.node)?;
        if probe.registers(engine, 0).is_none() {
            let engine = engine.name();
            return Err(NoCore { engine }.into());
        }
        let bad = |source| GdbServerError::Address { address, source };
        let listener = TcpListener::bind(address).map_err(bad)?;
        listener.set_nonblocking(true).map_err(bad)?;
        Ok(GdbServer {
            listener,
            probe,
            target: GdbTarget::new(program.program, program.memory),
            session: Session::Waiting,
            stop: program.stop,
            note: program.note,
            interrupted: false,
            halt_reported: false,
            context: 0,
            next_poll: 0,
        })
    }

    /// Returns the address that the server listens at.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Reports the end of the run to GDB. `exit` is the exit code of the program, if it has ended.
    pub fn finish(mut self, exit: Option<u8>) {
        let session = std::mem::replace(&mut self.session, Session::Closed);
        let reason = match exit {
            Some(code) => SingleThreadStopReason::Exited(code),
            None => SingleThreadStopReason::Terminated(Signal::SIGTERM),
        };
        if let Session::Open(Stub::Running(stub)) = session {
            // A connection that breaks now has nothing to report any more.
            let _ = stub.report_stop(&mut self.target, reason);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Accepts a connection, if there is one.
    fn accept(&mut self) -> bool {
        let accepted = self.listener.accept();
        let connection = accepted.and_then(|(stream, _)| GdbConnection::new(stream));
        let Ok(connection) = connection else {
            return false;
        };
        self.session = Session::Accepted(connection);
        true
    }

    /// Returns why the node stops in this clock cycle, if it does.
    fn stop_reason(&mut self, engine: &mut dyn NodeEngine) -> Option<SingleThreadStopReason<u32>> {
        let stop = self.probe.stop(engine)?;
        if let (CoreStop::Halted(cause), false) = (stop, self.halt_reported) {
            self.halt_reported = true;
            return Some(SingleThreadStopReason::Signal(match cause {
                Cause::Breakpoint => Signal::SIGTRAP,
                Cause::IllegalInstruction => Signal::SIGILL,
                _ => Signal::SIGSEGV,
            }));
        }
        if self.interrupted {
            return Some(SingleThreadStopReason::Signal(Signal::SIGINT));
        }
        let pc = self.probe.fetched(engine)?;
        if self.target.breakpoints.contains(&pc) {
            return Some(SingleThreadStopReason::SwBreak(()));
        }
        match &self.target.resume {
            Resume::Step(range)
                if !range.contains(&pc) && self.probe.context(engine) == self.context =>
            {
                Some(SingleThreadStopReason::DoneStep)
            }
            _ => None,
        }
    }

    /// Serves an open session in this clock cycle.
    fn serve(
        &mut self,
        engine: &mut dyn NodeEngine,
        mut stub: Stub,
        clock: u64,
    ) -> Result<Option<Stub>, SessionError> {
        loop {
            stub = match stub {
                Stub::Idle(mut idle) => {
                    if self.is_stopped() {
                        return Ok(None);
                    }
                    match idle.borrow_conn().poll(Some(STOP_CHECK)) {
                        Err(_) => return Err(SessionError::Closed),
                        Ok(None) => Stub::Idle(idle),
                        Ok(Some(byte)) => {
                            let next = idle.incoming_data(&mut self.target, byte)?;
                            self.target.apply(engine, &self.probe);
                            if let Stub::Running(_) = next {
                                self.next_poll = clock + POLL_INTERVAL;
                                self.interrupted = false;
                                return Ok(Some(next));
                            }
                            next
                        }
                    }
                }
                Stub::Running(mut running) => {
                    if clock >= self.next_poll {
                        match running.borrow_conn().poll(None) {
                            Err(_) => return Err(SessionError::Closed),
                            Ok(None) => self.next_poll = clock + POLL_INTERVAL,
                            Ok(Some(byte)) => {
                                stub = running.incoming_data(&mut self.target, byte)?;
                                continue;
                            }
                        }
                    }
                    match self.stop_reason(engine) {
                        None => return Ok(Some(running.into())),
                        Some(reason) => {
                            self.begin_stop(engine);
                            running.report_stop(&mut self.target, reason)?
                        }
                    }
                }
                Stub::CtrlCInterrupt(interrupt) => {
                    self.interrupted = true;
                    let none = None::<SingleThreadStopReason<u32>>;
                    interrupt.interrupt_handled(&mut self.target, none)?
                }
                Stub::Disconnected(_) => return Ok(Some(stub)),
            }
        }
    }

    fn begin_stop(&mut self, engine: &mut dyn NodeEngine) {
        self.target.read(engine, &self.probe);
        self.context = self.probe.context(engine);
    }

    /// Serves the session in this clock cycle, and notes its end.
    fn serve_session(
        &mut self,
        engine: &mut dyn NodeEngine,
        stub: Stub,
        clock: u64,
    ) -> Result<(), EngineError> {
        match self.serve(engine, stub, clock) {
            Ok(None) => {}
            Ok(Some(Stub::Disconnected(end))) => {
                if end.get_reason() == DisconnectReason::Kill {
                    return Err(EngineError::Observer(
                        "the debugger ended the run with a kill; detach lets it go on".into(),
                    ));
                }
                self.close(clock, "gdb: the debugger has detached; the run goes on");
            }
            Ok(Some(stub)) => self.session = Session::Open(stub),
            Err(SessionError::Closed) => {
                let text = "gdb: the debugger closed its connection without detaching, or reads \
                            nothing; the run goes on";
                self.close(clock, text);
            }
            Err(SessionError::Stub(error)) => {
                self.close(clock, &format!("gdb: {error}; the run goes on"));
            }
        }
        Ok(())
    }

    /// Continues without a debugger.
    fn close(&mut self, clock: u64, text: &str) {
        (self.note)(text);
        self.session = Session::Closed;
        self.interrupted = false;
        self.target.breakpoints.clear();
        self.next_poll = clock + POLL_INTERVAL;
    }
}

impl Observer for GdbServer {
    fn next_look(&self, clock: u64) -> Option<u64> {
        let follows = match self.session {
            Session::Waiting | Session::Accepted(_) => true,
            Session::Closed => false,
            Session::Open(_) => {
                self.interrupted
                    || !self.target.breakpoints.is_empty()
                    || self.target.resume != Resume::Continue
            }
        };
        Some(match follows {
            true => clock,
            false => clock.max(self.next_poll),
        })
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        match std::mem::replace(&mut self.session, Session::Closed) {
            Session::Waiting => {
                self.session = Session::Waiting;
                while !self.is_stopped() && !self.accept() {
                    std::thread::sleep(STOP_CHECK);
                }
            }
            Session::Closed => {
                if !self.accept() {
                    self.next_poll = clock + POLL_INTERVAL;
                }
            }
            Session::Accepted(connection) => {
                if self.probe.stop(engine).is_none() {
                    self.session = Session::Accepted(connection);
                    return Ok(());
                }
                self.begin_stop(engine);
                let stub = GdbStub::new(connection).run_state_machine(&mut self.target);
                match stub {
                    Ok(stub) => self.serve_session(engine, stub, clock)?,
                    Err(error) => self.close(clock, &format!("gdb: {error}; the run goes on")),
                }
            }
            Session::Open(stub) => self.serve_session(engine, stub, clock)?,
        }
        Ok(())
    }
}

/// Reason why a session cannot go on.
enum SessionError {
    /// The connection is closed, or GDB does not read.
    Closed,
    Stub(StubError),
}

impl From<StubError> for SessionError {
    fn from(error: StubError) -> Self {
        match error.is_connection_error() {
            true => SessionError::Closed,
            false => SessionError::Stub(error),
        }
    }
}

/// Connection to GDB. Output is collected until the end of a packet.
struct GdbConnection {
    stream: TcpStream,
    input: VecDeque<u8>,
    output: Vec<u8>,
}

impl GdbConnection {
    fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_LIMIT))?;
        Ok(GdbConnection { stream, input: VecDeque::new(), output: vec![] })
    }

    /// Returns the next byte of GDB. Waits for it up to this time, or not at all.
    fn poll(&mut self, time: Option<Duration>) -> io::Result<Option<u8>> {
        if self.input.is_empty() {
            self.flush()?;
            let mut buffer = [0; 4096];
            self.stream.set_nonblocking(time.is_none())?;
            self.stream.set_read_timeout(time)?;
            let read = self.stream.read(&mut buffer);
            self.stream.set_nonblocking(false)?;
            match read {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.input.extend(&buffer[..count]),
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.input.pop_front())
    }
}

fn is_timeout(error: &io::Error) -> bool {
    let kinds = [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted];
    kinds.contains(&error.kind())
}

impl Connection for GdbConnection {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.output.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::write_all(&mut self.stream, &self.output)?;
        self.output.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    /// The output is larger than the buffers of both sockets.
    #[test]
    fn a_debugger_that_does_not_read_ends_a_write() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut connection = GdbConnection::new(listener.accept().unwrap().0).unwrap();
        connection.output = vec![0; 64 << 20];
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(connection.poll(None).is_err()));
        assert_eq!(receiver.recv_timeout(10 * WRITE_LIMIT), Ok(true));
        drop(silent);
    }
}
