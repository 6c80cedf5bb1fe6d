#[path = "../support/scratch_crate.rs"]
mod scratch_crate;

#[test]
fn scratch() {
    let c = scratch_crate::ScratchCrate::new("random-kernels-try");
    c.write("src/main.rs", "fn main() { println!(\"{:?}\", phasecube::lower::lower(&phasecube::rtl::uart::Uart::<8>::default()).is_ok()); }");
    let t = std::time::Instant::now();
    let p = c.build();
    println!("{:?}", t.elapsed());
    println!("{:?}", std::process::Command::new(p).output());
}
