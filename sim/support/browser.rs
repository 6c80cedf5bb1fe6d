//! Headless Chromium, driven by the DevTools protocol over pipes, for tests and for
//! `examples/panel_speed.rs`.

use serde_json::{json, Value};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Chromium, with a pipe for messages in each direction.
pub struct Browser {
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
pub struct DrivenPage<'a> {
    browser: &'a mut Browser,
    session: String,
}

impl Browser {
    pub fn start(dir: &Path) -> Self {
        let pipes = ["commands", "messages"].map(|name| dir.join(name));
        let made = Command::new("mkfifo").args(&pipes).status();
        assert!(made.unwrap().success());
        // Chromium reads commands from descriptor 3 and writes messages to 4.
        let script = "exec chromium --headless --no-sandbox --disable-gpu --no-first-run \
                      --disable-background-networking --disable-component-update --disable-sync \
                      --remote-debugging-pipe --user-data-dir=profile 3<>commands 4<>messages \
                      2>chromium.log";
        let child = Command::new("sh").args(["-c", script]).current_dir(dir).spawn().unwrap();
        let open = |path| OpenOptions::new().read(true).write(true).open(path).unwrap();
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

    pub fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
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
    pub fn open(&mut self, url: &str, width: u32) -> DrivenPage<'_> {
        let target = self.call(None, "Target.createTarget", json!({"url": "about:blank"}));
        let params = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call(None, "Target.attachToTarget", params);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut page = DrivenPage { browser: self, session };
        page.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}),
        );
        page.call("Page.navigate", json!({"url": url}));
        page
    }
}

impl DrivenPage<'_> {
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }

    pub fn evaluate(&mut self, script: &str) -> Value {
        let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        self.call("Runtime.evaluate", params)["result"]["value"].clone()
    }

    /// Waits until a script returns true.
    pub fn wait(&mut self, script: &str) {
        let start = Instant::now();
        while self.evaluate(script) != true {
            let text = self.evaluate("document.body.innerText");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}: {text}");
            sleep(Duration::from_millis(50));
        }
    }

    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "text": text}));
        }
    }
}
