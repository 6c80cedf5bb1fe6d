//! `phasecube panel`: the page's requests, recordings, and how the panel starts and ends.

mod board;
mod browser;

use crate::command_line::program::{refused_in, with_tools, CallResult};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sets the LED of node p to 16 p + i in step i, which takes a superframe.
const SOURCE: &str = "void main() {
    for (int i = 0; i < 4; i++) {
        led_set((uint8_t)(pid() * 16 + i));
        barrier();
    }
}
";

/// Place of each node of the 4-cube on the panel, row after row.
const PLACES: [u8; 16] = [0, 1, 3, 2, 4, 5, 7, 6, 12, 13, 15, 14, 8, 9, 11, 10];

/// Picture of step i.
fn picture(i: u8) -> Vec<u8> {
    PLACES.iter().map(|node| node * 16 + i).collect()
}

const RUN: [&str; 7] = ["panel", "--firmware", "steps.starc", "--dims", "4", "--memory", "16K,4K"];

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("steps.starc"), SOURCE).unwrap();
    dir
}

fn panel(dir: &Path, args: &[&str]) -> Command {
    let mut command = with_tools(dir);
    command.args(RUN).args(args);
    command
}

/// Program with an open page. Dropping it ends the program.
pub struct OpenPanel {
    child: Child,
    port: u16,
    errors: BufReader<std::process::ChildStderr>,
}

/// Answer of the server.
pub struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl OpenPanel {
    pub fn start(dir: &Path, args: &[&str]) -> Self {
        let any: &[&str] = if args.contains(&"--port") { &[] } else { &["--port", "0"] };
        Self::of(panel(dir, &[any, args].concat()))
    }

    /// Starts a program that prints the address of its page.
    pub fn of(mut command: Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let mut open = OpenPanel { child, port: 0, errors };
        let (mut line, mut printed) = (String::new(), String::new());
        while open.port == 0 {
            line.clear();
            assert!(open.errors.read_line(&mut line).unwrap() > 0, "it has no page: {printed}");
            printed += &line;
            if let Some((_, address)) = line.split_once("panel: http://127.0.0.1:") {
                open.port = address.trim().trim_end_matches('/').parse().unwrap();
            }
        }
        open
    }

    /// Starts a simulated board with a panel. Returns the port for its host, too.
    pub fn board(dir: &Path, args: &[&str]) -> (Self, String) {
        let mut command = with_tools(dir);
        command.args(["board", "--panel", "--panel-port", "0", "--listen", "tcp:0"]).args(args);
        let mut open = Self::of(command);
        let mut line = String::new();
        let mut lines = BufReader::new(open.child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        let port = line.split_whitespace().last().unwrap();
        (open, port.to_owned())
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Sends a request with these headers. `None` if nobody answers.
    fn request(&self, line: &str, headers: &[&str], body: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let text = format!(
            "{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut bytes = vec![];
        stream.read_to_end(&mut bytes).ok()?;
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        Some(Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: bytes[end + 4..].to_vec(),
        })
    }

    fn get(&self, path: &str) -> Answer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        self.request(&format!("GET {path}"), &[&host], "").unwrap()
    }

    fn json(&self, path: &str) -> serde_json::Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.head);
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// State and LEDs of the next picture after this one.
    fn frame(&self, after: u64) -> Option<(serde_json::Value, Vec<u8>)> {
        let answer = self.get(&format!("/frame?after={after}"));
        if answer.status == 204 {
            return None;
        }
        let end = answer.body.iter().position(|byte| *byte == b'\n').unwrap();
        let state = serde_json::from_slice(&answer.body[..end]).unwrap();
        Some((state, answer.body[end + 1..].to_vec()))
    }

    /// Waits for a picture in this state.
    pub fn wait_for(&self, state: &str) -> (serde_json::Value, Vec<u8>) {
        let (start, mut after) = (Instant::now(), 0);
        loop {
            if let Some((frame, leds)) = self.frame(after) {
                if frame["state"] == state {
                    return (frame, leds);
                }
                after = frame["sequence"].as_u64().unwrap();
            }
            assert!(start.elapsed() < Duration::from_secs(60), "never {state}");
        }
    }

    fn control(&self, body: &str) -> u16 {
        let host = format!("Host: localhost:{}", self.port);
        let headers = [&*host, "Content-Type: application/json"];
        self.request("POST /control", &headers, body).unwrap().status
    }

    /// Carries out a step, and returns the picture after it.
    fn step(&self, unit: &str) -> (u64, Vec<u8>) {
        let before = self.wait_for("paused").0["sequence"].as_u64().unwrap();
        let command = format!("{{\"action\": \"step\", \"unit\": \"{unit}\"}}");
        assert_eq!(self.control(&command), 204);
        let mut after = before;
        loop {
            let Some((frame, leds)) = self.frame(after) else {
                continue;
            };
            after = frame["sequence"].as_u64().unwrap();
            if frame["state"] != "running" {
                return (frame["step"].as_u64().unwrap(), leds);
            }
        }
    }

    /// Sends a signal and returns the result of the program.
    pub fn stop(mut self, signal: &str) -> CallResult {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.errors.read_to_string(&mut stderr).unwrap();
        if let Some(mut lines) = self.child.stdout.take() {
            lines.read_to_string(&mut stdout).unwrap();
        }
        CallResult { code: self.child.wait().unwrap().code(), stdout, stderr }
    }
}

impl Drop for OpenPanel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_recording_shows_what_the_programs_set() {
    let dir = folder();
    let done = panel(dir.path(), &["--record", "last.svg"]).output().unwrap();
    let done = CallResult::from(done);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("16 of 16 nodes"), "{done:?}");
    let svg = fs::read_to_string(dir.path().join("last.svg")).unwrap();
    let expected = picture(3);
    assert_eq!(svg.matches("#2a1010").count(), 16);
    let lit: Vec<&str> = svg.lines().filter(|line| line.contains("fill-opacity")).collect();
    assert_eq!(lit.len(), 16);
    for (place, led) in expected.iter().enumerate() {
        let (x, y) = (place % 4 * 8 + 4, place / 4 * 8 + 4);
        let opacity = f64::from(*led) / 255.0;
        let circle = format!(
            "cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"#ff4630\" fill-opacity=\"{opacity:.3}\""
        );
        assert!(lit[place].contains(&circle), "{circle}: {}", lit[place]);
    }
}

#[test]
#[ignore = "thorough: compiles firmware several times"]
fn wrong_arguments_are_named() {
    let dir = folder();
    let refuses = |args: &[&str], says| {
        let args = [&RUN[..], args].concat();
        refused_in(dir.path(), 2, &args, says);
    };
    let accepted = "accepted: a name that ends in .gif, .png or .svg";
    refuses(&["--record", "a.jpg"], accepted);
    refuses(&["--record", "a.gif", "--paused"], "accepted with --record: --port N");
    refuses(&["--speed", "0"], "0");
    refused_in(dir.path(), 2, &["panel", "--dims", "2"], "accepted: --firmware FILE");
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    let port = open.port.to_string();
    let done = panel(dir.path(), &["--port", &port]).output().unwrap();
    let done = CallResult::from(done);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("accepted: a free port, or 0 for any"), "{done:?}");
    open.stop("-TERM");
}

/// Steps from the start to the end. The pictures come in order, and a phase is a phase.
#[test]
fn steps_show_each_picture() {
    let dir = folder();
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    let machine = open.json("/machine");
    assert_eq!((&machine["rows"], &machine["period"]), (&4.into(), &8.into()));
    assert_eq!(machine["nodes"], serde_json::json!(PLACES));
    assert_eq!(open.wait_for("paused").1, [0; 16]);
    assert_eq!(open.step("phase").0, 1);
    let (step, first) = open.step("superframe");
    assert_eq!(step, 8);
    let (start, mut seen) = (Instant::now(), vec![first]);
    while seen.len() < 4 {
        let (_, leds) = open.step("change");
        // Programs may set their LEDs in different phases.
        if (0..4).any(|i| leds == picture(i)) {
            seen.push(leds);
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{seen:?}");
    }
    assert_eq!(seen, (0..4).map(picture).collect::<Vec<_>>());
    // A second page shows the same. Node 9 is in row 3, column 1.
    assert_eq!(open.wait_for("paused").1, picture(3));
    let node = open.json("/node?address=9");
    assert_eq!((&node["row"], &node["column"], &node["led"]), (&3.into(), &1.into(), &147.into()));
    let program = node["program"].to_string();
    assert!(program.contains("main + 0x"), "{program}");
    assert_eq!(open.control("{\"action\": \"run\"}"), 204);
    let (end, leds) = open.wait_for("ended");
    assert_eq!((&end["message"], leds), (&"All programs have ended.".into(), picture(3)));
    // The page stays. Details of a node are still there.
    assert_eq!(open.json("/node?address=0")["led"], 3);
    let done = open.stop("-INT");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("16 of 16 nodes"), "{done:?}");
}

#[test]
fn foreign_pages_are_rejected() {
    let dir = folder();
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    let host = format!("Host: 127.0.0.1:{}", open.port);
    let origin = |of: &str| format!("Origin: {of}");
    let status = |line: &str, headers: &[&str], body: &str| {
        open.request(line, headers, body).unwrap().status
    };
    let run = "{\"action\": \"run\"}";
    let json = "Content-Type: application/json";
    assert_eq!(status("GET /", &[&host], ""), 200);
    for wrong in ["Host: evil.example", "Host: 127.0.0.1", "Host: 127.0.0.1:1"] {
        assert_eq!(status("GET /frame?after=0", &[wrong], ""), 403, "{wrong}");
        assert_eq!(status("POST /control", &[wrong, json], run), 403, "{wrong}");
    }
    for wrong in ["http://evil.example", "null", "https://127.0.0.1"] {
        let wrong = origin(wrong);
        assert_eq!(status("POST /control", &[&host, &wrong, json], run), 403, "{wrong}");
    }
    // Browsers state that an image of another page is from another site. A link may lead here.
    for site in ["cross-site", "same-site"] {
        let site = format!("Sec-Fetch-Site: {site}");
        assert_eq!(status("GET /frame?after=0", &[&host, &site], ""), 403);
        assert_eq!(status("GET /machine", &[&host, &site], ""), 403);
        assert_eq!(status("GET /", &[&host, &site], ""), 200);
    }
    for site in ["same-origin", "none"] {
        let site = format!("Sec-Fetch-Site: {site}");
        assert_eq!(status("GET /machine", &[&host, &site], ""), 200);
    }
    // A form of another page can send text only.
    assert_eq!(status("POST /control", &[&host, "Content-Type: text/plain"], run), 415);
    assert_eq!(open.wait_for("paused").0["step"], 0);
    assert_eq!(open.control("{\"action\": \"jump\"}"), 400);
    assert_eq!(open.get("/node?address=16").status, 400);
    assert_eq!(open.get("/frame").status, 400);
    assert_eq!(open.get("/other").status, 404);
    assert_eq!(status("POST /", &[&host], ""), 405);
    let page = open.get("/");
    assert!(page.head.contains("Content-Security-Policy: default-src 'self'"), "{}", page.head);
    let own = origin(&format!("http://localhost:{}", open.port));
    assert_eq!(status("POST /control", &[&host, &own, json], run), 204);
    open.wait_for("ended");
    open.stop("-INT");
}

/// A step by exchange ends when the last processor has completed one. A barrier is an exchange, and
/// takes a superframe.
#[test]
fn a_step_by_exchange_waits_for_all_processors() {
    let dir = folder();
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    assert_eq!(open.json("/machine")["counts_exchanges"], true);
    assert_eq!(open.wait_for("paused").0["exchanges"], 0);
    let mut before = 0;
    for exchange in 1..4 {
        let (step, _) = open.step("exchange");
        let (frame, leds) = open.wait_for("paused");
        assert_eq!(frame["exchanges"], exchange);
        assert!(step > before && step <= before + 9, "{before} {step}");
        // Each processor has set its LED before the barrier, and some again after it.
        let step_of = |i: u64| picture(i as u8);
        let is_near = |place: usize| {
            leds[place] == step_of(exchange - 1)[place] || leds[place] == step_of(exchange)[place]
        };
        assert!((0..16).all(is_near), "{exchange}: {leds:?}");
        before = step;
    }
    open.stop("-TERM");
}

/// Processors 8 to 15 end, halt, or are dead before their first exchange. A step by exchange does not wait
/// for them.
#[test]
fn a_step_by_exchange_leaves_out_processors_that_do_not_run() {
    let dir = folder();
    let source = "void main() {
    pvar<int> x = pid(), y;
    where (x >= 8 && x < 14) { ctrl_exit(0); }
    where (x == 14) { __builtin_trap(); }
    for (int i = 0; i < 4; i++) exchange { y = nbr(0, x); }
}
";
    fs::write(dir.path().join("steps.starc"), source).unwrap();
    let open = OpenPanel::start(dir.path(), &["--paused", "--dead", "15:hung"]);
    open.wait_for("paused");
    let mut before = 0;
    for exchange in 1..4 {
        let (step, _) = open.step("exchange");
        assert_eq!(open.wait_for("paused").0["exchanges"], exchange);
        assert!(step <= before + 5 * 8, "{before} {step}");
        before = step;
    }
    open.stop("-TERM");
}

/// A C program does not count exchanges.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_c_program_has_no_exchanges() {
    let dir = folder();
    let source = "#include \"tdma.h\"\nint main(void)\n{\n    \
                  tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n    tdma_led(3);\n    \
                  tdma_next_phase();\n    return 0;\n}\n";
    fs::write(dir.path().join("led.c"), source).unwrap();
    let mut command = with_tools(dir.path());
    command.args(["panel", "--firmware", "led.c", "--port", "0", "--paused"]);
    let open = OpenPanel::of(command);
    assert_eq!(open.json("/machine")["counts_exchanges"], false);
    assert!(open.wait_for("paused").0["exchanges"].is_null());
    let step = "{\"action\": \"step\", \"unit\": \"exchange\"}";
    assert_eq!(open.control(step), 400);
    open.stop("-TERM");
}

/// The panel of a simulated board shows the LEDs of the program that a host loads, also of the next one.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_board_shows_the_leds_of_its_runs() {
    let dir = folder();
    let machine = ["--dims", "4", "--memory", "16K,4K"];
    let (open, port) = OpenPanel::board(dir.path(), &machine);
    assert_eq!(open.json("/machine")["nodes"], serde_json::json!(PLACES));
    for (number, brightness) in [(0, 3), (1, 4)] {
        let source = SOURCE.replace("i < 4", &format!("i < {brightness}"));
        fs::write(dir.path().join("steps.starc"), source).unwrap();
        let args = ["load", "steps.starc", "--port", &port];
        let done = CallResult::from(with_tools(dir.path()).args(args).output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
        let start = Instant::now();
        while open.wait_for("ended").1 != picture(brightness - 1) {
            assert!(start.elapsed() < Duration::from_secs(60), "run {number}");
            sleep(Duration::from_millis(50));
        }
        assert_eq!(open.json("/node?address=9")["led"], 9 * 16 + brightness - 1);
    }
    let done = open.stop("-INT");
    assert_eq!(done.code, Some(130), "{done:?}");
}

/// A paused machine ends at a signal, and nothing answers any more.
#[test]
fn a_signal_ends_a_paused_run() {
    let dir = folder();
    let open = OpenPanel::start(dir.path(), &["--paused", "--record", "first.png"]);
    open.step("superframe");
    let port = open.port;
    let done = open.stop("-TERM");
    assert_eq!(done.code, Some(143), "{done:?}");
    assert!(done.stderr.contains("16 of 16 programs have not ended"), "{done:?}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let png = fs::read(dir.path().join("first.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

/// A speed of 4 superframes per second: two superframes take at least 0.4 s.
#[test]
fn the_speed_can_be_limited() {
    let dir = folder();
    let open = OpenPanel::start(dir.path(), &["--speed", "4"]);
    let start = Instant::now();
    let first = loop {
        if let Some((frame, _)) = open.frame(0) {
            break frame["step"].as_u64().unwrap();
        }
    };
    loop {
        let step = open.frame(0).unwrap().0["step"].as_u64().unwrap();
        if step >= first + 16 {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    assert!(start.elapsed() > Duration::from_millis(400), "{:?}", start.elapsed());
    assert_eq!(open.control("{\"action\": \"speed\", \"superframes_per_second\": null}"), 204);
    open.wait_for("ended");
    open.stop("-INT");
}

/// The picture in the documentation is recorded by the command below it.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn the_documented_picture_is_recorded_by_its_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/starc.md")).unwrap();
    let record = "docs/pictures/panel.png";
    let command = page.split('`').find(|code| code.ends_with(record)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let words = command.split(' ').skip(1).map(|word| {
        let path = root.join(word);
        match word {
            _ if word == record => "panel.png".into(),
            _ if path.is_file() => path.into_os_string(),
            _ => word.into(),
        }
    });
    let done = with_tools(dir.path()).args(words).output().unwrap();
    assert!(done.status.success(), "{:?}", CallResult::from(done));
    let recorded = fs::read(dir.path().join("panel.png")).unwrap();
    assert!(recorded == fs::read(root.join(record)).unwrap(), "the pictures differ");
}
