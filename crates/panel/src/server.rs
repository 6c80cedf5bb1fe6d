//! Web server of the panel, on the loopback interface.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /`, `/panel.css`, `/panel.js` | the page |
//! | `GET /machine` | JSON: title, nodes, grid, period |
//! | `GET /frame?after=N` | the next picture with a number above N: a line of JSON, then a byte for each LED, row after row. Empty with status 204 if there is none within a second |
//! | `GET /node?address=N` | JSON: the state of a node |
//! | `POST /control` | JSON: `{"action": "run"}`, `"pause"`, `{"action": "step", "unit": "phase"}`, `"superframe"`, `"exchange"`, `"change"`, `{"action": "speed", "superframes_per_second": 2}`, null for full speed |
//!
//! A request needs the name of this server in `Host`, and no foreign `Origin`. So pages of other
//! origins cannot read or control the machine, even if their name resolves to this computer. Other
//! pages may only link to the panel: browsers state the site of a request in `Sec-Fetch-Site`.

use crate::state::{NodeView, PanelCommand, PanelData, RunState, StepUnit};
use crate::{Grid, PanelState};
use serde_json::json;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use thiserror::Error;
use tiny_http::{Header, Method, Request, Response, Server};

/// The server cannot be started.
#[derive(Debug, Error)]
#[error("port {port} of the loopback interface: {why}; accepted: a free port, or 0 for any")]
pub struct PanelServerError {
    port: u16,
    why: String,
}

/// Time for which a request for a picture or a node waits.
const PATIENCE: Duration = Duration::from_secs(1);

/// Most requests at a time.
const REQUESTS_MAX: usize = 64;

/// Most bytes of the body of a request.
const BODY_MAX: u64 = 1024;

/// Server of the panel. Dropping it ends the answers.
pub struct PanelServer {
    address: SocketAddr,
    state: PanelState,
    server: Arc<Server>,
}

/// Machine of the page.
#[derive(Debug)]
struct PanelMachine {
    title: String,
    nodes: usize,
    period: u64,
    counts_exchanges: bool,
    port: u16,
}

impl PanelServer {
    /// Serves the panel of a machine with this number of nodes and of phases in a superframe.
    /// `counts_exchanges` states whether its program counts its exchanges. Port 0 selects a free port.
    ///
    /// # Errors
    /// If the port cannot be used.
    pub fn start(
        port: u16,
        title: &str,
        (nodes, period): (usize, u64),
        counts_exchanges: bool,
        state: &PanelState,
    ) -> Result<Self, PanelServerError> {
        let failed = |why: String| PanelServerError { port, why };
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let server = Server::http(address).map_err(|e| failed(e.to_string()))?;
        let address = server.server_addr().to_ip().ok_or_else(|| failed("no IP address".into()))?;
        let server = Arc::new(server);
        let shown = Arc::new(PanelMachine {
            title: title.to_owned(),
            nodes,
            period,
            counts_exchanges,
            port: address.port(),
        });
        let (incoming, shared) = (server.clone(), state.clone());
        thread::spawn(move || serve(&incoming, &shown, &shared));
        Ok(PanelServer { address, state: state.clone(), server })
    }

    /// Address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for PanelServer {
    fn drop(&mut self) {
        self.state.close();
        self.server.unblock();
    }
}

/// Answers each request in a thread of its own, because requests for pictures wait.
fn serve(server: &Server, shown: &Arc<PanelMachine>, state: &PanelState) {
    let active = Arc::new(AtomicUsize::new(0));
    for mut request in server.incoming_requests() {
        let (shown, state, busy) = (shown.clone(), state.clone(), active.clone());
        if busy.fetch_add(1, Ordering::Relaxed) >= REQUESTS_MAX {
            busy.fetch_sub(1, Ordering::Relaxed);
            let _ = request.respond(text(503, "too many requests at a time"));
            continue;
        }
        thread::spawn(move || {
            let response = answer(&mut request, &shown, &state);
            // The browser may have closed the connection.
            let _ = request.respond(response);
            busy.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

type Answer = Response<io::Cursor<Vec<u8>>>;

fn respond(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
    let headers = [
        ("Content-Type", kind),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        (
            "Content-Security-Policy",
            "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
        ),
    ];
    let mut response = Response::from_data(body).with_status_code(status);
    for (name, value) in headers {
        response.add_header(Header::from_bytes(name, value).expect("the texts are ASCII"));
    }
    response
}

fn text(status: u16, body: &str) -> Answer {
    respond(status, "text/plain; charset=utf-8", format!("{body}\n"))
}

fn json_answer(value: &serde_json::Value) -> Answer {
    respond(200, "application/json", value.to_string())
}

fn header<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    let mut headers = request.headers().iter();
    headers.find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
}

impl PanelMachine {
    /// True if this is the name of the server: a loopback name with its port, which browsers omit if
    /// it is 80.
    fn is_own(&self, host: &str) -> bool {
        let names = ["127.0.0.1", "localhost"];
        names
            .iter()
            .any(|name| host == format!("{name}:{}", self.port) || self.port == 80 && host == *name)
    }

    /// Reason to reject a request; `None` for a request of the page itself, or of a program on this
    /// computer.
    fn rejects(&self, request: &Request) -> Option<&'static str> {
        if !header(request, "Host").is_some_and(|host| self.is_own(host)) {
            return Some("this is not the name of the panel");
        }
        let is_foreign =
            |origin: &str| !origin.strip_prefix("http://").is_some_and(|host| self.is_own(host));
        let is_from_page = |site: &str| !["same-origin", "none"].contains(&site);
        let is_foreign = header(request, "Origin").is_some_and(is_foreign)
            || request.url() != "/" && header(request, "Sec-Fetch-Site").is_some_and(is_from_page);
        is_foreign.then_some("the request is from another origin")
    }
}

/// Value of a number in the query of a URL.
fn number(query: &str, name: &str) -> Option<u64> {
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    parts.find(|(key, _)| *key == name)?.1.parse().ok()
}

fn answer(request: &mut Request, shown: &PanelMachine, state: &PanelState) -> Answer {
    if let Some(why) = shown.rejects(request) {
        return text(403, why);
    }
    let url = request.url().to_owned();
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    match (request.method(), path) {
        (Method::Get, "/") => respond(200, "text/html; charset=utf-8", include_str!("panel.html")),
        (Method::Get, "/panel.css") => {
            respond(200, "text/css; charset=utf-8", include_str!("panel.css"))
        }
        (Method::Get, "/panel.js") => {
            respond(200, "text/javascript; charset=utf-8", include_str!("panel.js"))
        }
        (Method::Get, "/machine") => {
            let grid = Grid::of(shown.nodes);
            let nodes: Vec<usize> = (0..grid.rows)
                .flat_map(|row| (0..grid.columns).map(move |column| grid.node(row, column)))
                .collect();
            json_answer(&json!({
                "title": shown.title,
                "rows": grid.rows,
                "columns": grid.columns,
                "period": shown.period,
                "counts_exchanges": shown.counts_exchanges,
                "nodes": nodes,
            }))
        }
        (Method::Get, "/frame") => match number(query, "after") {
            Some(after) => frame(after, state),
            None => text(400, "accepted: /frame?after=N, the number of the last picture, or 0"),
        },
        (Method::Get, "/node") => match number(query, "address") {
            Some(node) if node < shown.nodes as u64 => node_view(node as u32, state),
            _ => text(400, &format!("accepted: /node?address=N, 0 to {}", shown.nodes - 1)),
        },
        (Method::Post, "/control") => control(request, shown, state),
        (_, "/" | "/panel.css" | "/panel.js" | "/machine" | "/frame" | "/node" | "/control") => {
            text(405, "accepted: GET, and POST for /control")
        }
        _ => text(404, "the panel has no such page"),
    }
}

fn frame(after: u64, state: &PanelState) -> Answer {
    let found = state.wait_for(PATIENCE, |inner: &mut PanelData| {
        let frame = &inner.frame;
        // A run may fail before its first picture.
        let has_picture = !frame.leds.is_empty() || frame.state == RunState::Stopped;
        let is_new = frame.sequence > after && has_picture;
        is_new.then(|| inner.frame.clone())
    });
    match found {
        Some(frame) => {
            let mut body = serde_json::to_vec(&frame).expect("the frame is JSON");
            body.push(b'\n');
            body.extend(frame.leds);
            respond(200, "application/octet-stream", body)
        }
        None => respond(204, "text/plain", vec![]),
    }
}

fn node_view(node: u32, state: &PanelState) -> Answer {
    {
        let mut inner = state.lock();
        if !inner.frame.state.answers() {
            return text(503, "the nodes do not answer while the machine stands still");
        }
        inner.views.remove(&node);
        inner.wanted.insert(node);
    }
    state.changed();
    let view: Option<NodeView> = state.wait_for(2 * PATIENCE, |inner| inner.views.remove(&node));
    match view {
        Some(view) => json_answer(&serde_json::to_value(view).expect("the view is JSON")),
        None => text(503, "the machine does not answer"),
    }
}

fn control(request: &mut Request, shown: &PanelMachine, state: &PanelState) -> Answer {
    if header(request, "Content-Type") != Some("application/json") {
        return text(415, "accepted: application/json");
    }
    let mut body = String::new();
    let read = request.as_reader().take(BODY_MAX).read_to_string(&mut body);
    match read
        .map_err(|e| e.to_string())
        .and_then(|_| serde_json::from_str::<PanelCommand>(&body).map_err(|e| e.to_string()))
    {
        Ok(PanelCommand::Step { unit: StepUnit::Exchange }) if !shown.counts_exchanges => {
            text(400, "the program does not count its exchanges, because it is not StarC")
        }
        Ok(command) => {
            state.command(command, shown.period);
            respond(204, "text/plain", vec![])
        }
        Err(why) => text(400, &why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_omit_the_port_80() {
        let is_own = |port, host| {
            let machine = PanelMachine {
                title: String::new(),
                nodes: 2,
                period: 1,
                counts_exchanges: false,
                port,
            };
            machine.is_own(host)
        };
        assert!(is_own(80, "127.0.0.1") && is_own(80, "localhost:80"));
        assert!(is_own(8064, "localhost:8064") && !is_own(8064, "localhost"));
        assert!(!is_own(80, "evil.example") && !is_own(80, "127.0.0.1:8064"));
    }
}
