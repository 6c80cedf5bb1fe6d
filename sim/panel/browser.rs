//! The page of the panel in headless Chromium, driven by the DevTools protocol over pipes.

use super::{folder, picture, OpenPanel};
use serde_json::{json, Value};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Chromium, with a pipe for messages in each direction.
struct Browser {
    child: Child,
    commands: File,
    messages: File,
    received: Vec<u8>,
    sent: u64,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page of the browser.
struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
}

impl Browser {
    fn start(dir: &Path) -> Self {
        let pipes = ["commands", "messages"].map(|name| dir.join(name));
        let made = Command::new("mkfifo").args(&pipes).status();
        assert!(made.unwrap().success());
        // Chromium reads commands from descriptor 3 and writes messages to 4.
        let script = "exec chromium --headless --no-sandbox --disable-gpu --no-first-run \
                      --disable-background-networking --disable-component-update --disable-sync \
                      --remote-debugging-pipe --user-data-dir=profile 3<>commands 4<>messages \
                      2>chromium.log";
        let child = Command::new("sh")
            .args(["-c", script])
            .current_dir(dir)
            .spawn()
            .unwrap();
        let open = |path| {
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(path)
                .unwrap()
        };
        Browser {
            child,
            commands: open(&pipes[0]),
            messages: open(&pipes[1]),
            received: vec![],
            sent: 0,
        }
    }

    fn message(&mut self) -> Value {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == 0) {
                let rest = self.received.split_off(end + 1);
                let message = std::mem::replace(&mut self.received, rest);
                return serde_json::from_slice(&message[..end]).unwrap();
            }
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "chromium cannot be run; on Debian, install it by `apt-get install chromium`"
            );
            let mut block = [0; 65536];
            let read = self.messages.read(&mut block).unwrap();
            self.received.extend(&block[..read]);
        }
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let text = command.to_string() + "\0";
        self.commands.write_all(text.as_bytes()).unwrap();
        loop {
            let message = self.message();
            if message["id"] == self.sent {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    /// Opens a page in a window of this width.
    fn open(&mut self, url: &str, width: u32) -> Page<'_> {
        let target = self.call(None, "Target.createTarget", json!({"url": "about:blank"}));
        let params = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", params);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut page = Page {
            browser: self,
            session,
        };
        page.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        page.call("Page.navigate", json!({"url": url}));
        page
    }
}

impl Page<'_> {
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        self.call("Runtime.evaluate", params)["result"]["value"].clone()
    }

    /// Waits until a script returns true.
    fn wait(&mut self, script: &str) {
        let start = Instant::now();
        while self.evaluate(script) != true {
            let text = self.evaluate("document.body.innerText");
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{script}: {text}"
            );
            sleep(Duration::from_millis(50));
        }
    }

    fn wait_for_state(&mut self, text: &str) {
        self.wait(&format!(
            "document.getElementById('state')?.textContent.startsWith('{text}')"
        ));
    }

    fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "text": text}),
            );
        }
    }

    /// Brightness of the LEDs by their colours in the middle: red is 42 + 213 brightness / 255.
    fn leds(&mut self) -> Vec<u8> {
        let script =
            "(() => { const canvas = document.getElementById('leds'), size = canvas.width / 4; \
                      const colour = (i) => canvas.getContext('2d').getImageData(\
                      (i % 4 + 0.5) * size, (Math.floor(i / 4) + 0.5) * size, 1, 1).data[0]; \
                      return [...Array(16).keys()].map(colour); })()";
        let reds: Vec<f64> = serde_json::from_value(self.evaluate(script)).unwrap();
        reds.iter()
            .map(|red| ((red - 42.0) * 255.0 / 213.0).round() as u8)
            .collect()
    }

    /// Checks the LEDs up to the rounding of colours.
    fn assert_shows(&mut self, expected: &[u8]) {
        let leds = self.leds();
        let near = leds
            .iter()
            .zip(expected)
            .all(|(led, expected)| led.abs_diff(*expected) <= 1);
        assert!(near, "{leds:?}, expected {expected:?}");
    }
}

#[test]
#[ignore = "thorough: needs Chromium"]
fn a_browser_shows_and_controls_the_machine() {
    let (dir, profile) = (folder(), tempfile::tempdir().unwrap());
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    let mut browser = Browser::start(profile.path());
    let mut page = browser.open(&open.url(), 1200);
    page.wait_for_state("Paused.");
    page.assert_shows(&[0; 16]);
    // Keys: a phase, a superframe, the next change, the node to the right, and below.
    page.evaluate("document.getElementById('leds').focus()");
    page.press("p");
    page.wait("document.getElementById('phase').textContent === '1 of 8'");
    page.press("s");
    page.wait("document.getElementById('superframe').textContent === '1'");
    page.wait("document.getElementById('lit').textContent === '15 of 16'");
    page.assert_shows(&picture(0));
    page.press("c");
    page.wait("document.getElementById('lit').textContent === '16 of 16'");
    page.assert_shows(&picture(1));
    for key in ["ArrowRight", "ArrowRight", "ArrowDown"] {
        page.press(key);
    }
    // The first key selects node 0. Then: row 1, column 1.
    page.wait(
        "document.getElementById('node').textContent.includes('Address 0x5, row 1, column 1')",
    );
    page.wait("document.getElementById('node').textContent.includes('Brightness 81.')");
    // A window of a phone shows the same, and needs no scrolling to the side.
    let mut phone = browser.open(&open.url(), 390);
    phone.wait_for_state("Paused.");
    phone.assert_shows(&picture(1));
    let width = phone.evaluate("document.documentElement.scrollWidth");
    assert!(width.as_f64().unwrap() <= 390.0, "{width}");
    phone.evaluate("document.getElementById('run').click()");
    phone.wait_for_state("All programs have ended.");
    phone.assert_shows(&picture(3));
    // A page that is opened again shows the end, too.
    let mut again = browser.open(&open.url(), 1200);
    again.wait_for_state("All programs have ended.");
    again.assert_shows(&picture(3));
    open.stop("-INT");
    again.wait_for_state("The simulator does not answer.");
}

/// The simulator is killed while a page shows it. Another one on the same port takes over.
#[test]
#[ignore = "thorough: needs Chromium"]
fn a_page_reports_that_the_simulator_was_killed() {
    let (dir, profile) = (folder(), tempfile::tempdir().unwrap());
    let open = OpenPanel::start(dir.path(), &["--paused"]);
    let port = open.port.to_string();
    let mut browser = Browser::start(profile.path());
    let mut page = browser.open(&open.url(), 1200);
    page.wait_for_state("Paused.");
    // By exchange: by the key, and by the button.
    let exchange = "document.getElementById('exchange').textContent";
    page.evaluate("document.getElementById('leds').focus()");
    page.press("e");
    page.wait(&format!("{exchange} === '1'"));
    page.wait_for_state("Paused.");
    page.evaluate("document.querySelector('[data-unit=exchange]').click()");
    page.wait(&format!("{exchange} === '2'"));
    open.stop("-KILL");
    page.wait_for_state("The simulator does not answer.");
    let next = OpenPanel::start(dir.path(), &["--paused", "--port", &port]);
    page.wait_for_state("Paused.");
    next.stop("-TERM");
}
