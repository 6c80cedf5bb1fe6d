//! All boards. Each board's image meets timing, and each top module behaves like the design in it.
//! No board is needed.

use crate::board::{build_for, builds, design, FakeComputer, TOOLS};
use phasecube::board::manifest::{sha256, Manifest, ManifestEntry};
use phasecube::board::usb::Devices;
use phasecube::board::virtual_board::{BoardOutputs, VirtualBoard, VirtualBoardError};
use phasecube::board::{chip_verilog, Board, BoardDesign, BoardDesignName, CubeTable, BOARDS};
use phasecube::toolchain::{CompileEffort, PortSpec, Simulation};
use phasecube::wave::decode_uart;
use std::fs;

pub const CLOCKS: usize = 25;

pub fn echo(board: &Board) -> BoardDesign {
    design(BoardDesignName::Echo, 0).with_clock_mhz(board.clock_mhz)
}

#[test]
#[ignore = "thorough: places designs"]
fn each_board_image_meets_its_clock() {
    for &board in BOARDS {
        let built = build_for(board, &echo(board)).unwrap();
        let name = board.name;
        assert!(built.fmax_mhz >= f64::from(board.clock_mhz), "{name}");
        // The baud rate is proportional to the clock.
        assert_eq!(built.baud, board.clock_mhz * 40_000, "{name}");
        board.flow.check(&built.image).unwrap();
        assert!(board.flow.check(&built.image[built.image.len() / 2..]).is_err());
        let extension = board.flow.extension();
        assert_eq!(built.file_name(), format!("{name}-echo.{extension}"));
        // Resources from the data sheets.
        let has = match board.flow.chip().split(',').next().unwrap() {
            "iCE40 HX8K" => (7680, 32),
            "iCE40 UP5K" => (5280, 30),
            "ECP5-25F" => (24288, 56),
            "ECP5-85F" => (83640, 208),
            other => panic!("{other} is not known here"),
        };
        let capacity = built.capacity;
        assert_eq!((capacity.logic_cells, capacity.block_rams), has, "{name}");
        // The page may list this board, and then has its figures.
        let page = include_str!("../../docs/your-own-board.md");
        let baud = built.baud.to_string();
        let (thousands, rest) = baud.split_at(baud.len() - 3);
        let baud = match thousands.split_at(thousands.len().saturating_sub(3)) {
            ("", thousands) => format!("{thousands},{rest}"),
            (millions, thousands) => format!("{millions},{thousands},{rest}"),
        };
        let row = format!(
            " {} | {} | {baud} | {} | {:.1} | ",
            board.flow.chip(),
            board.clock_mhz,
            built.report.logic_cells,
            built.fmax_mhz
        );
        let start = format!("| `{name}` |");
        let mut rows = page.lines().filter_map(|line| line.strip_prefix(&start));
        assert!(rows.all(|found| found.starts_with(&row)), "{start}{row}");
    }
}

/// Model of a board's top module with `echo` in it, using the cells of `cells.v`.
pub struct TopModuleModel {
    simulation: Simulation,
    /// Number of further pins: `reload_n` and `wifi_gpio0`, where present.
    further: usize,
    /// Levels of the LEDs' pins when all are off. The LED of the Colorlight i5 is active-low.
    dark: u8,
}

impl TopModuleModel {
    fn new(board: &Board) -> Self {
        let top = chip_verilog(board, &echo(board)).unwrap();
        // Verilator accepts no bidirectional pad. Each pad here is used in one direction.
        let pads = top
            .text
            .replace("SB_IO #(.PIN_TYPE(6'b000001), .PULLUP(1'b1))", "pad_in")
            .replace("SB_IO #(.PIN_TYPE(6'b011001))", "pad_out");
        TopModuleModel::of(board, &pads, &top.name)
    }

    /// Creates the model from the module `top` of a Verilog text that has the board's ports.
    pub fn of(board: &Board, verilog: &str, top: &str) -> Self {
        let further: Vec<&str> = ["reload_n", "wifi_gpio0"]
            .into_iter()
            .filter(|port| board.constraints.contains(&format!("\"{port}\"")))
            .collect();
        let mut ports = vec![
            PortSpec::input("crystal", 1),
            PortSpec::input("button", 1),
            PortSpec::input("usb_rx", 1),
            PortSpec::output("usb_tx", 1),
            PortSpec::output("led", 8),
        ];
        ports.extend(further.iter().map(|port| PortSpec::output(*port, 1)));
        let text = format!("{verilog}\n{}", include_str!("cells.v"));
        let clock = Some("crystal");
        let model = TOOLS.verilate_with(&text, top, &ports, clock, builds(), CompileEffort::Quick);
        TopModuleModel {
            simulation: model.unwrap().start().unwrap(),
            further: further.len(),
            dark: u8::from(board.name == "colorlight-i5"),
        }
    }

    /// Runs one clock cycle of the crystal for each level of the line from the host, with the button
    /// up. An LED that is on is a 1, whatever the level of its pin.
    pub fn run(&mut self, rx: &[bool]) -> Vec<BoardOutputs> {
        self.run_with(false, rx).map(|(outputs, _)| outputs).collect()
    }

    /// Like [`Self::run`], with the button up or down. Returns the further pins too.
    fn run_with(
        &mut self,
        button: bool,
        rx: &[bool],
    ) -> impl Iterator<Item = (BoardOutputs, Vec<u32>)> {
        let mut words = vec![];
        for levels in rx.chunks(1024) {
            let inputs: Vec<u32> =
                levels.iter().flat_map(|level| [u32::from(!button), u32::from(*level)]).collect();
            self.simulation.cycles_words(&inputs, &mut words).unwrap();
        }
        let (pins, dark) = (2 + self.further, self.dark);
        let cycles = words.len() / pins;
        (0..cycles).map(move |cycle| {
            let pins = &words[pins * cycle..][..pins];
            let outputs = BoardOutputs { tx: pins[0] == 1, led: pins[1] as u8 ^ dark };
            (outputs, pins[2..].to_vec())
        })
    }
}

/// Returns the levels of the line for bytes sent without a gap.
pub fn levels(bytes: &[u8]) -> Vec<bool> {
    let bits = bytes.iter().flat_map(|byte| {
        let data = (0..8).map(move |bit| byte >> bit & 1 == 1);
        [false].into_iter().chain(data).chain([true])
    });
    bits.flat_map(|bit| [bit; CLOCKS]).collect()
}

#[test]
#[ignore = "thorough: places designs"]
fn each_top_module_echoes() {
    for &board in BOARDS {
        let name = board.name;
        let mut chip = TopModuleModel::new(board);
        // The board ignores its input until its clock starts. The end of this byte looks idle by
        // then.
        let mut rx = levels(b"x");
        rx.extend([true; 400]);
        rx.extend(levels(b"Hello, 123"));
        rx.extend([true; 20 * CLOCKS]);
        let seen = chip.run(&rx);
        let tx: Vec<bool> = seen.iter().map(|seen| seen.tx).collect();
        let answers: Vec<u8> = decode_uart(&tx, CLOCKS).iter().map(|byte| byte.value).collect();
        assert_eq!(String::from_utf8_lossy(&answers), "hELLO, 123", "{name}");
        assert_eq!(seen.last().unwrap().led, b'3', "{name}");
        assert_eq!(seen[0].led, 0, "{name}");
    }
}

/// Pressing the button for 16,384 clock cycles pulls low the pin that reloads a ULX3S. The ESP32's
/// pin stays high. A Colorlight i5 has no such pins.
#[test]
fn the_button_of_an_ecp5_pulls_the_pin() {
    let mut chip = TopModuleModel::new(Board::named("ulx3s").unwrap());
    let mut further = |button: bool, cycles: usize| -> Vec<Vec<u32>> {
        chip.run_with(button, &vec![true; cycles]).map(|(_, further)| further).collect()
    };
    let before = further(false, 400);
    let short = further(true, 16_000);
    let between = further(false, 100);
    let long = further(true, 16_500);
    for pins in before.iter().chain(&short).chain(&between) {
        assert_eq!(pins, &[1, 1]);
    }
    let pulled = long.iter().position(|pins| pins[0] == 0);
    assert!((16_384..16_390).contains(&pulled.unwrap()), "{pulled:?}");
    assert!(long.iter().all(|pins| pins[1] == 1));
    let i5 = Board::named("colorlight-i5").unwrap();
    assert!(!chip_verilog(i5, &echo(i5)).unwrap().text.contains("reload_n"));
}

/// Simulates the bits of the image for the breakout board.
#[test]
#[ignore = "thorough: places designs"]
fn the_image_of_the_breakout_board_echoes() {
    let board = Board::named("hx8k-breakout").unwrap();
    let built = build_for(board, &echo(board)).unwrap();
    let mut chip = VirtualBoard::new(&TOOLS, board, &built.image, builds()).unwrap();
    assert_eq!(chip.clock_mhz(), 24.0);
    let mut rx = vec![true; 400];
    rx.extend(levels(b"Board"));
    rx.extend([true; 20 * CLOCKS]);
    let tx: Vec<bool> = chip.run(&rx).unwrap().iter().map(|seen| seen.tx).collect();
    let answers: Vec<u8> = decode_uart(&tx, CLOCKS).iter().map(|byte| byte.value).collect();
    assert_eq!(answers, b"bOARD");
}

#[test]
fn the_image_of_an_ecp5_is_refused_by_the_virtual_board() {
    let board = Board::named("ulx3s").unwrap();
    let error = VirtualBoard::new(&TOOLS, board, &[], builds()).unwrap_err();
    assert!(matches!(error, VirtualBoardError::NoCells { .. }), "{error}");
    let says =
        "images for the ULX3S-85F are not simulated; accepted: those of boards with an iCE40";
    assert_eq!(error.to_string(), says);
}

/// Writes a file that looks like an image, and its manifest, into the computer's folder. Returns
/// its name.
fn image_for(computer: &FakeComputer, board: &Board) -> String {
    let image = [[0xff, 0x00, 0x00].as_slice(), &[0xff, 0xff, 0xbd, 0xb3, 0xff]].concat();
    let file = format!("{}-echo.bit", board.name);
    fs::write(computer.path(&file), &image).unwrap();
    let mut manifest = Manifest::default();
    manifest.insert(ManifestEntry {
        file: file.clone(),
        board: board.name.into(),
        design: "echo".into(),
        clock_mhz: 25,
        baud: 1_000_000,
        bytes: image.len(),
        sha256: sha256(&image),
        source_sha256: sha256(b""),
        logic_cells: 1,
        flip_flops: 1,
        block_rams: 0,
        fmax_mhz: 25.0,
        tools: vec![],
    });
    fs::write(computer.path(Manifest::FILE), manifest.to_string()).unwrap();
    file
}

/// Each board is written by the first installed programmer that its maker documents.
#[test]
fn each_ecp5_is_written_by_its_programmers() {
    for (name, vendor, product, programmer, words) in [
        ("ulx3s", "0403", "6015", "fujprog", "-j flash"),
        ("ulx3s", "0403", "6015", "openFPGALoader", "--busdev-num 1:4 --board ulx3s --write-flash"),
        ("colorlight-i5", "0d28", "0204", "ecpdap", "flash write"),
        (
            "colorlight-i5",
            "0d28",
            "0204",
            "openFPGALoader",
            "--busdev-num 1:4 --board colorlight-i5 --unprotect-flash --write-flash",
        ),
    ] {
        let computer = FakeComputer::new();
        let image = image_for(&computer, Board::named(name).unwrap());
        // The error names what is missing and prints the command that would write the image.
        let (code, _, stderr) = computer.run(&["flash", "--board", name, &image]);
        assert_eq!(code, 1, "{stderr}");
        let by_hand = words.replace("--busdev-num 1:4 ", "");
        let says = format!("which writes it by `{programmer} {by_hand} {image}`");
        assert!(stderr.contains(&says), "{says}: {stderr}");
        assert!(stderr.contains(&format!("{vendor}:{product}")), "{stderr}");

        computer.plug_of(vendor, 4, product);
        computer.install(programmer, "echo \"$*\" > called");
        let (code, _, stderr) = computer.run(&["flash", "--board", name, &image]);
        assert_eq!(code, 0, "{stderr}");
        let called = fs::read_to_string(computer.path("called")).unwrap();
        assert_eq!(called.trim_end(), format!("{words} {image}"));

        // An image for another board is rejected with the name of its board.
        let (code, _, stderr) = computer.run(&["flash", &image]);
        assert_eq!(code, 2, "{stderr}");
        let says = format!("accepted for that board: --board {name}");
        assert!(stderr.contains(&says), "{stderr}");
    }
}

/// The serial port is the one of the board's own interface, whatever driver serves it.
#[test]
fn the_host_port_is_found_at_the_boards_interface() {
    for (name, vendor, product, port, found) in [
        ("ulx3s", "0403", "6015", "1-4:1.0/ttyUSB3", "ttyUSB3"),
        ("colorlight-i5", "0d28", "0204", "1-4:1.1/tty/ttyACM2", "ttyACM2"),
        ("icebreaker", "0403", "6010", "1-4:1.1/ttyUSB1", "ttyUSB1"),
    ] {
        let computer = FakeComputer::new();
        computer.plug_of(vendor, 4, product);
        let devices = Devices { sys: computer.path("sys"), dev: computer.path("dev") };
        let board = Board::named(name).unwrap();
        assert!(devices.find_serial(board).is_err(), "{name}");
        let folder = computer.path("sys/bus/usb/devices");
        fs::create_dir_all(folder.join("1-4:1.2/ttyUSB7")).unwrap();
        fs::create_dir_all(folder.join(port)).unwrap();
        assert_eq!(devices.find_serial(board), Ok(computer.path("dev").join(found)));
    }
}

#[test]
fn unknown_boards_and_designs_are_rejected_with_a_list() {
    let computer = FakeComputer::new();
    let names = BOARDS.iter().map(|board| board.name);
    let names = names.collect::<Vec<_>>().join(", ");
    for command in
        [&["build", "--design", "echo"] as &[&str], &["flash", "image.bin"], &["monitor"]]
    {
        let words = [command, &["--board", "arty"]].concat();
        let (code, _, stderr) = computer.run(&words);
        assert_eq!(code, 2, "{stderr}");
        let says = format!("there is no board \"arty\"; accepted: {names}");
        assert!(stderr.contains(&says), "{stderr}");
    }
    let (code, _, stderr) = computer.run(&["build", "--board", "ulx3s", "--design", "other"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("there is no design \"other\"; accepted: echo"), "{stderr}");
    let cube = ["build", "--board", "ulx3s", "--design", "cube", "--dims", "2"];
    let (code, _, stderr) = computer.run(&cube);
    assert_eq!(code, 2);
    assert!(stderr.contains("is not built for 2 dimensions; accepted: --dims"), "{stderr}");
}

/// The page has the table of the present circuits.
#[test]
fn the_documented_cubes_are_the_present_ones() {
    let table = CubeTable::new().unwrap().to_string();
    let page = include_str!("../../docs/your-own-board.md");
    assert!(page.contains(&table), "`phasecube boards --cubes` now prints\n{table}");
}

/// The list names all boards, and says that none has been tried on hardware.
#[test]
fn the_boards_are_listed() {
    let computer = FakeComputer::new();
    let (code, stdout, _) = computer.run(&["boards"]);
    assert_eq!(code, 0);
    let (code, json, _) = computer.run(&["boards", "--json"]);
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (i, board) in BOARDS.iter().enumerate() {
        assert!(stdout.lines().any(|line| line == board.name), "{stdout}");
        assert!(stdout.contains(board.title) && stdout.contains(&board.flow.chip()));
        assert_eq!(json["boards"][i]["name"], board.name);
        assert_eq!(
            json["boards"][i]["tried_on_hardware"].is_null(),
            board.tested_functions.is_none()
        );
    }
    let never = stdout.lines().filter(|line| line.trim_end().ends_with("  never"));
    let untried = BOARDS.iter().filter(|board| board.tested_functions.is_none());
    assert_eq!(never.count(), untried.count());
}
