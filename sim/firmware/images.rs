//! Files that are no programs for a node are rejected with a clear sentence. Valid programs are
//! small enough.

use crate::firmware::{builds, firmware};
use phasecube::program::{sources, Firmware, NodeKind, NodeMemory, ShippedProgram};
use phasecube::toolchain::Toolchain;
use std::fs;

/// Returns the error for a C program.
fn refused(name: &str, source: &str) -> String {
    let path = builds().join(format!("{name}.c"));
    fs::write(&path, source).unwrap();
    let tools = Toolchain::open().unwrap();
    let error =
        Firmware::open(path.to_str().unwrap(), NodeKind::CUBE, &tools, builds()).unwrap_err();
    error.to_string()
}

#[test]
fn programs_fit_in_memory() {
    for file in sources::PROGRAMS {
        let name = sources::program_name(file);
        let firmware = firmware(name);
        println!("{firmware}");
        assert_eq!(firmware.name, name);
        assert!(firmware.words.len() > 100 && firmware.words.len() <= 512);
        assert!(firmware.data >= 8 && firmware.data <= NodeMemory::BOARD.static_data());
    }
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn errors_of_the_compiler_name_file_and_line() {
    let printed = refused("wrong", "#include \"tdma.h\"\n\nint main(void) { return nothing; }\n");
    assert!(printed.contains("wrong.c:3:"), "{printed}");
    assert!(printed.contains("nothing"), "{printed}");
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn missing_symbols_are_named() {
    let printed = refused("missing", "int helper(int);\nint main(void) { return helper(3); }\n");
    assert!(
        printed.ends_with("helper is not defined in it, in tdma.h, ctrl.h or cm1.h"),
        "{printed}"
    );
    let printed = refused("no_main", "int start(void) { return 3; }\n");
    assert!(printed.contains(": main is not defined"), "{printed}");
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn oversized_programs_are_reported_with_their_size() {
    let printed = refused(
        "long_code",
        "const volatile int table[600] = {1};\nint main(void) { return table[3]; }\n",
    );
    assert!(printed.contains("code and constants take"), "{printed}");
    let says = "accepted: up to 2048 bytes; simulated nodes have more with --memory 4K,512 of `run` or `board`";
    assert!(printed.ends_with(says), "{printed}");
    let printed = refused(
        "much_data",
        "static volatile int table[100];\nint main(void) { return table[3]; }\n",
    );
    assert!(
        printed.contains("data takes 400 bytes; accepted: up to 256 bytes; simulated nodes have more with --memory 2K,1K of "),
        "{printed}"
    );
    let printed =
        refused("huge", "static volatile int table[8000];\nint main(void) { return table[3]; }\n");
    assert!(printed.ends_with("accepted: up to 256 bytes"), "{printed}");
}

/// ELF files for another machine, or linked at another address.
#[test]
fn programs_for_other_machines_are_rejected() {
    let tools = Toolchain::open().unwrap();
    let own = std::env::current_exe().unwrap();
    let error =
        Firmware::open(own.to_str().unwrap(), NodeKind::CUBE, &tools, builds()).unwrap_err();
    assert!(error.to_string().contains("an ELF file for a 64-bit machine"), "{error}");

    let error = Firmware::open("rout", NodeKind::CUBE, &tools, builds()).unwrap_err();
    let accepted = "accepted: route, echo, parallel_sum, all_reduce, prefix_sum, bitonic_sort, \
                    transpose, fft, life, total_exchange, permute, route_at_once, a C, C++ or StarC file (.c, .cpp, .starc) or an ELF file";
    assert!(error.to_string().ends_with(accepted), "{error}");
    let error = Firmware::open("no/such.c", NodeKind::CUBE, &tools, builds()).unwrap_err();
    assert!(error.to_string().starts_with("no/such.c: "), "{error}");
}

/// Changes each word of a good file's header in turn.
#[test]
#[ignore = "thorough: compiles firmware"]
fn the_elf_header_is_checked() {
    let (tools, folder) = (Toolchain::open().unwrap(), builds().join("firmware"));
    ShippedProgram::compile(
        sources::find_program("route").unwrap(),
        NodeKind::CUBE,
        &tools,
        &folder,
    )
    .unwrap();
    let built = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let elf = built
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("route-"))
        .find_map(|path| fs::read(path.join("program.elf")).ok())
        .unwrap();
    assert!(Firmware::from_elf("good", &elf, NodeMemory::BOARD).is_ok());
    let changed = |at: usize, byte: u8| {
        let mut elf = elf.clone();
        elf[at] = byte;
        Firmware::from_elf("bad", &elf, NodeMemory::BOARD).unwrap_err().to_string()
    };
    assert!(changed(0x12, 40).contains("an ELF file for machine 40"));
    assert!(changed(0x10, 1).contains("it is not linked"));
    assert!(changed(0x24, 1).contains("compressed instructions"));
    assert!(changed(0x24, 4).contains("floating-point registers"));
    assert!(changed(0x18, 4).contains("it begins at 0x4"));
    let short = Firmware::from_elf("bad", &elf[..300], NodeMemory::BOARD).unwrap_err();
    assert!(short.to_string().contains("it is damaged"));
}
