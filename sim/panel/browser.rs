//! The page of the panel in headless Chromium.

use super::{folder, picture, OpenPanel};
use crate::support::browser::{Browser, DrivenPage};

impl DrivenPage<'_> {
    fn wait_for_state(&mut self, text: &str) {
        self.wait(&format!("document.getElementById('state')?.textContent.startsWith('{text}')"));
    }

    /// Brightness of the LEDs by their colours in the middle: red is 42 + 213 brightness / 255.
    fn leds(&mut self) -> Vec<u8> {
        let script =
            "(() => { const canvas = document.getElementById('leds'), size = canvas.width / 4; \
                      const colour = (i) => canvas.getContext('2d').getImageData(\
                      (i % 4 + 0.5) * size, (Math.floor(i / 4) + 0.5) * size, 1, 1).data[0]; \
                      return [...Array(16).keys()].map(colour); })()";
        let reds: Vec<f64> = serde_json::from_value(self.evaluate(script)).unwrap();
        reds.iter().map(|red| ((red - 42.0) * 255.0 / 213.0).round() as u8).collect()
    }

    /// Checks the LEDs up to the rounding of colours.
    fn assert_shows(&mut self, expected: &[u8]) {
        let leds = self.leds();
        let near = leds.iter().zip(expected).all(|(led, expected)| led.abs_diff(*expected) <= 1);
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
