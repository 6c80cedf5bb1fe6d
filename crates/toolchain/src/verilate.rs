//! Compiles Verilog to a simulation.

use super::cache::{self, Digest};
use super::command::{CommandOutput, ToolHandle, ToolOrigin};
use super::cpp::{runtime_parts, CompileEffort, Cpp};
use super::error::{tail, IoContext, Result, ToolError};
use super::model::{CompiledModel, PortSpec};
use super::progress::ProgressStep;
use super::synth::check_name;
use super::Toolchain;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sources up to this size are compiled as one unit. Larger ones are compiled file by file on all
/// processors.
const ONE_UNIT: u64 = 300_000;

const EXECUTABLE: &str = "model";
const OBJECTS: &str = "obj";

/// File beside the executable with the seconds that its compilation took.
const SECONDS_FILE: &str = "seconds";

/// Seconds that the compilation of an executable of [`Toolchain::verilate_program`] took, even if
/// it was compiled earlier.
pub fn compile_seconds(executable: &Path) -> f64 {
    let text = fs::read_to_string(executable.with_file_name(SECONDS_FILE));
    text.ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

impl Toolchain {
    /// Compiles module `top` for simulation. `ports` are all its ports including the clock. `clock`
    /// names the port that the simulation drives. The executable is kept in `work_dir` and reused
    /// for the same source. A file NAME in `work_dir` that the Verilog reads (`$readmemh`) is
    /// written `../NAME`.
    pub fn verilate(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        clock: Option<&str>,
        work_dir: &Path,
    ) -> Result<CompiledModel> {
        self.verilate_with(verilog, top, ports, clock, work_dir, CompileEffort::Quick)
    }

    /// Returns the text of Verilog files after macros and `` `include ``, as Verilator reads it in
    /// the current folder.
    ///
    /// # Errors
    /// If Verilator is missing, or a file does not exist.
    pub fn preprocess(
        &self,
        files: &[String],
        includes: &[String],
        defines: &[(String, Option<String>)],
        work_dir: &Path,
    ) -> Result<String> {
        let verilator = self.verilator()?;
        let mut command = verilator.command();
        command.args(["-E", "-P", "-Wno-fatal"]);
        command.args(includes.iter().map(|folder| format!("-I{folder}")));
        let value = |value: &Option<String>| match value {
            Some(value) => format!("={value}"),
            None => String::new(),
        };
        command.args(defines.iter().map(|(name, v)| format!("-D{name}{}", value(v))));
        command.args(files);
        let output = command.output().at("run", Path::new(verilator.name()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        fs::create_dir_all(work_dir).at("create the folder", work_dir)?;
        let log = work_dir.join("preprocess.log");
        fs::write(&log, &output.stderr).at("write", &log)?;
        Err(ToolError::Failed {
            tool: verilator.to_string(),
            status: output.status.to_string(),
            tail: tail(&String::from_utf8_lossy(&output.stderr)),
            log,
        })
    }

    /// Version output of the C++ compiler for models.
    pub fn cpp_version(&self) -> Result<String> {
        let include = include_dir(&self.verilator()?)?;
        Ok(Cpp::find(include, CompileEffort::Fast)?.version().to_owned())
    }

    /// Compiles module `top` for simulation with a choice of effort.
    pub fn verilate_with(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        clock: Option<&str>,
        work_dir: &Path,
        effort: CompileEffort,
    ) -> Result<CompiledModel> {
        let clock = check_ports(top, ports, clock)?;
        let program = program(ports, clock, verilog.contains("negedge"));
        let executable = self.verilate_program(verilog, top, ports, program, work_dir, effort)?;
        Ok(CompiledModel::new(top, executable, ports, clock))
    }

    /// Compiles module `top` with the caller's C++ program around it, and returns the executable.
    /// The class of the module is [`MODEL_PREFIX`](super::MODEL_PREFIX), and port number `i` is its
    /// member `pI`.
    pub fn verilate_program(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        program: String,
        work_dir: &Path,
        effort: CompileEffort,
    ) -> Result<PathBuf> {
        check_name(top)?;
        check_ports(top, ports, None)?;
        let verilator = self.verilator()?;
        let cpp = Cpp::find(include_dir(&verilator)?, effort)?;
        let build = ModelBuild {
            verilator,
            cpp,
            // If there is no cache folder, the run-time library is kept with the models.
            cache: self.cache().unwrap_or(work_dir),
            effort,
            top,
            verilog,
            wrapper: wrapper(top, ports),
            program,
        };
        let folder = work_dir.join(format!("model-{top}-{}", build.digest()));
        cache::build_if_missing(&folder, top, |partial| build.make(partial))?;
        let folder = std::path::absolute(&folder).at("find", &folder)?;
        Ok(folder.join(EXECUTABLE))
    }
}

/// Rejects ports that cannot be simulated. Returns the index of the clock.
pub(super) fn check_ports(
    top: &str,
    ports: &[PortSpec],
    clock: Option<&str>,
) -> Result<Option<usize>> {
    for port in ports {
        if port.width == 0 || port.name.is_empty() || port.name.contains(char::is_whitespace) {
            return Err(ToolError::Invalid(format!(
                "port {:?} of {top} with {} bits: a port has a name without spaces and at least 1 bit",
                port.name, port.width
            )));
        }
    }
    let Some(clock) = clock else { return Ok(None) };
    let is_clock = |port: &PortSpec| port.name == clock && port.input && port.width == 1;
    match ports.iter().position(is_clock) {
        Some(index) => Ok(Some(index)),
        None => Err(ToolError::Invalid(format!(
            "{top} has no clock {clock:?}: the clock is one of the ports, an input of 1 bit"
        ))),
    }
}

/// Folder of Verilator's headers.
fn include_dir(verilator: &ToolHandle) -> Result<PathBuf> {
    let root = match verilator.origin() {
        ToolOrigin::Pinned(_) => verilator
            .command()
            .get_envs()
            .find(|(name, _)| *name == "VERILATOR_ROOT")
            .and_then(|(_, value)| value.map(PathBuf::from)),
        ToolOrigin::System(path) => {
            let output = verilator
                .command()
                .args(["--getenv", "VERILATOR_ROOT"])
                .output()
                .at("run", path)?;
            let root = String::from_utf8_lossy(&output.stdout).trim().to_string();
            (!root.is_empty()).then(|| PathBuf::from(root))
        }
    };
    let include = root.map(|root| root.join("include"));
    include.filter(|dir| dir.join("verilated.h").exists()).ok_or_else(|| ToolError::Missing {
        missing: "Verilator's include folder".into(),
        purpose: format!("compile models with {verilator}"),
        remedy: "set VERILATOR_ROOT to its root, or PHASECUBE_TOOLS=pinned to use the pinned one"
            .into(),
    })
}

struct ModelBuild<'a> {
    verilator: ToolHandle,
    cpp: Cpp,
    cache: &'a Path,
    effort: CompileEffort,
    top: &'a str,
    verilog: &'a str,
    wrapper: String,
    program: String,
}

impl ModelBuild<'_> {
    fn digest(&self) -> String {
        let tools = [self.verilator.to_string(), self.cpp.identity()];
        let mut digest = Digest::of(tools);
        digest.add(SECONDS_FILE);
        for part in [self.verilog, &self.wrapper, &self.program] {
            digest.add(part);
        }
        digest.add(format!("{:?}", self.effort.verilator_flags()));
        digest.short()
    }

    fn make(&self, dir: &Path) -> Result<()> {
        let start = Instant::now();
        let activity = ProgressStep::quiet(&format!("verilator: {}", self.top));
        let dir = &std::path::absolute(dir).at("find", dir)?;
        let wrapper = format!("{WRAPPER}.v");
        write(&dir.join("design.v"), self.verilog)?;
        write(&dir.join(&wrapper), &self.wrapper)?;
        let mut arguments = vec!["--cc", "--Mdir", OBJECTS, "--prefix", PREFIX];
        // `lint` checks the source itself. Warnings about the wrapper are read below.
        arguments.extend(["-Wno-fatal", "--top-module", WRAPPER]);
        // Comments of the source that make its signals public would move them to classes of modules.
        arguments.push("--public-ignore");
        arguments.extend(self.effort.verilator_flags());
        arguments.extend([&wrapper, "design.v"]);
        let run = self.verilator.run(dir, arguments, "verilator.log")?;
        self.check_connections(&run, &wrapper)?;

        let objects = dir.join(OBJECTS);
        write(&objects.join("harness.cpp"), &self.program)?;
        let classes = objects.join(format!("{PREFIX}_classes.mk"));
        let parts = runtime_parts(&fs::read_to_string(&classes).at("read", &classes)?);
        let version = self.verilator.to_string();
        let runtime = self.cpp.runtime(self.cache, &version, &parts)?;
        activity.step(&format!("compiling {}", self.top));
        let jobs = units(&objects)?;
        let made: Vec<PathBuf> = jobs.iter().map(|(_, object)| object.clone()).collect();
        self.cpp.compile(jobs, Some(&runtime))?;
        self.cpp.link(&made, &runtime, &dir.join(EXECUTABLE))?;
        let seconds = start.elapsed().as_secs_f64();
        write(&dir.join(SECONDS_FILE), &format!("{seconds:.2}"))?;
        fs::remove_dir_all(&objects).at("remove the folder", &objects)
    }

    /// Checks warnings about the wrapper. The wrapper has the widths of `ports`, so a warning means
    /// that the module's widths differ.
    fn check_connections(&self, run: &CommandOutput, wrapper: &str) -> Result<()> {
        let at_wrapper = format!(": {wrapper}:");
        let wrong: Vec<&str> = run
            .text
            .lines()
            .filter(|line| line.contains(&at_wrapper))
            .filter(|line| line.contains("-WIDTH") || line.contains("-PINMISSING"))
            .collect();
        if wrong.is_empty() {
            return Ok(());
        }
        Err(ToolError::Invalid(format!(
            "the given ports are not those of {}:\n{}\nwhole log: {}",
            self.top,
            wrong.join("\n"),
            run.log.display()
        )))
    }
}

/// (source, object) pairs to compile: one that includes all sources, or one per source.
fn units(dir: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut sources = Vec::new();
    let mut bytes = 0;
    for entry in fs::read_dir(dir).at("read", dir)? {
        let path = entry.at("read", dir)?.path();
        if path.extension().is_some_and(|e| e == "cpp") {
            bytes += fs::metadata(&path).at("read", &path)?.len();
            sources.push(path);
        }
    }
    sources.sort();
    if bytes <= ONE_UNIT {
        let all = dir.join("all.cpp");
        let names = sources.iter().filter_map(|path| path.file_name());
        let text: String =
            names.map(|name| format!("#include \"{}\"\n", name.to_string_lossy())).collect();
        write(&all, &text)?;
        sources = vec![all];
    }
    let pairs = sources.into_iter().map(|source| {
        let object = source.with_extension("o");
        (source, object)
    });
    Ok(pairs.collect())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).at("write", path)
}

// Generates the sources around a module. A Verilog wrapper renames its ports to p0, p1 ... A C++
// program implements the binary protocol.
//
// The protocol consists of 32-bit words in the machine's byte order, because both ends run on the
// machine:
// ```text
// request: cycles, then each input in order of the ports, ceil(width / 32) words, low word first
// reply:   each output in the same way, as seen in the last of these cycles before its clock edge
// ```
// Each cycle has four steps. The program sets the inputs, evaluates the module with the clock low,
// and takes the outputs. Then the clock rises and falls. With 0 cycles, or without a clock, the
// last step is left out: the request only reads the outputs.
//
// The falling edge is evaluated together with the next inputs, unless the module reacts to it. If
// a cycle has the inputs of a preceding read, it starts with its rising edge.

/// Name of the wrapper module and of its file.
pub const WRAPPER: &str = "phasecube_harness";
/// Prefix of the generated C++ classes.
pub const PREFIX: &str = "Vharness";

/// Wrapper module. An escaped name is the same name as the unescaped one, and may contain any
/// character.
pub fn wrapper(top: &str, ports: &[PortSpec]) -> String {
    let declared: Vec<String> = ports
        .iter()
        .enumerate()
        .map(|(i, port)| {
            let direction = if port.input { "input" } else { "output" };
            format!("    {direction} wire [{}:0] p{i}", port.width - 1)
        })
        .collect();
    let numbered = || ports.iter().enumerate();
    let connected: Vec<String> = numbered()
        .filter(|(_, port)| !port.inside)
        .map(|(i, port)| format!("        .\\{} (p{i})", port.name))
        .collect();
    let inside: String = numbered()
        .filter(|(_, port)| port.inside)
        .map(|(i, port)| format!("    assign p{i} = dut.{};\n", port.name))
        .collect();
    format!(
        "module {WRAPPER} (\n{}\n);\n    \\{top} dut (\n{}\n    );\n{inside}endmodule\n",
        declared.join(",\n"),
        connected.join(",\n")
    )
}

/// Returns the text of a module `name` with the ports of module `top`, whose parameters it sets.
/// [`Toolchain::verilate`] has no parameters of its own.
pub fn with_parameters(
    name: &str,
    top: &str,
    parameters: &[(String, String)],
    ports: &[PortSpec],
) -> String {
    let declared = ports.iter().map(|port| {
        let direction = if port.input { "input" } else { "output" };
        format!("{direction} [{}:0] {}", port.width - 1, port.name)
    });
    let values = parameters.iter().map(|(name, value)| format!(".{name}({value})"));
    let connected = ports.iter().map(|port| format!(".{0}({0})", port.name));
    let [declared, values, connected] =
        [declared.collect::<Vec<_>>(), values.collect(), connected.collect()]
            .map(|list| list.join(", "));
    let values = match parameters {
        [] => String::new(),
        _ => format!("#({values}) "),
    };
    format!("module {name} ({declared}); {top} {values}inner ({connected}); endmodule\n")
}

/// C++ program. `clock` is the index of the clock port, which is not part of a request. `falls` is
/// true if the module reacts to the falling clock edge.
pub fn program(ports: &[PortSpec], clock: Option<usize>, falls: bool) -> String {
    let mut take = String::new();
    let mut give = String::new();
    for (i, port) in ports.iter().enumerate() {
        if Some(i) == clock {
            continue;
        }
        let _ = if port.input {
            writeln!(take, "    in = take(top.p{i}, in);")
        } else {
            writeln!(give, "    out = give(top.p{i}, out);")
        };
    }
    let edge = match clock {
        Some(i) if falls => format!("top.p{i} = 1; top.eval(); top.p{i} = 0; top.eval();"),
        Some(i) => format!("top.p{i} = 1; top.eval(); top.p{i} = 0;"),
        None => String::new(),
    };
    let is_input = |i: usize, port: &PortSpec| port.input && Some(i) != clock;
    let words = |wanted: bool| -> usize {
        ports
            .iter()
            .enumerate()
            .filter(|(i, port)| is_input(*i, port) == wanted && Some(*i) != clock)
            .map(|(_, port)| port.words())
            .sum()
    };
    PROGRAM
        .replace("@PREFIX@", PREFIX)
        .replace("@IN@", &words(true).to_string())
        .replace("@OUT@", &words(false).to_string())
        .replace("@TAKE@", take.trim_end())
        .replace("@GIVE@", give.trim_end())
        .replace("@EDGE@", &edge)
}

const PROGRAM: &str = r#"#include "@PREFIX@.h"
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unistd.h>
#include <vector>

static const size_t IN = 1 + @IN@, OUT = @OUT@;

template <class T> static const uint32_t* take(T& port, const uint32_t* in) {
    uint64_t value = *in++;
    if (sizeof(T) > 4) value |= uint64_t(*in++) << 32;
    port = T(value);
    return in;
}
template <std::size_t N> static const uint32_t* take(VlWide<N>& port, const uint32_t* in) {
    for (std::size_t i = 0; i < N; ++i) port[i] = in[i];
    return in + N;
}
template <class T> static uint32_t* give(const T& port, uint32_t* out) {
    *out++ = uint32_t(port);
    if (sizeof(T) > 4) *out++ = uint32_t(uint64_t(port) >> 32);
    return out;
}
template <std::size_t N> static uint32_t* give(const VlWide<N>& port, uint32_t* out) {
    for (std::size_t i = 0; i < N; ++i) out[i] = port[i];
    return out + N;
}

static void set(@PREFIX@& top, const uint32_t* in) {
@TAKE@
    (void)in;
}
static void get(@PREFIX@& top, uint32_t* out) {
@GIVE@
    (void)out;
}
static void edge(@PREFIX@& top) { @EDGE@ }

static void send(int fd, const uint32_t* words, size_t count) {
    const char* data = reinterpret_cast<const char*>(words);
    for (size_t left = count * 4; left;) {
        const ssize_t n = write(fd, data, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(3);
        data += n;
        left -= size_t(n);
    }
}

int main() {
    // What the module prints goes to stderr: stdout belongs to the protocol.
    const int replies = dup(1);
    dup2(2, 1);
    const auto context = std::make_unique<VerilatedContext>();
    const auto top = std::make_unique<@PREFIX@>(context.get());
    std::vector<uint32_t> in(IN * (1 + (1 << 14) / IN)), out, inputs(IN);
    bool looked = false;  // evaluated with these inputs since the last edge
    size_t have = 0;      // bytes
    for (;;) {
        char* const data = reinterpret_cast<char*>(in.data());
        const ssize_t n = read(0, data + have, in.size() * 4 - have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        have += size_t(n);
        const size_t requests = have / (IN * 4);
        out.resize(requests * OUT);
        for (size_t r = 0; r < requests; ++r) {
            const uint32_t* const request = in.data() + r * IN;
            if (!looked || memcmp(inputs.data(), request + 1, (IN - 1) * 4) != 0) {
                memcpy(inputs.data(), request + 1, (IN - 1) * 4);
                set(*top, request + 1);
                top->eval();
            }
            looked = request[0] == 0;
            if (looked) get(*top, out.data() + r * OUT);
            for (uint32_t left = request[0]; left; --left) {
                if (left < request[0]) top->eval();
                if (left == 1) get(*top, out.data() + r * OUT);
                edge(*top);
                if (context->gotFinish()) {
                    top->final();
                    send(replies, out.data(), (left == 1 ? r + 1 : r) * OUT);
                    return 4;
                }
            }
        }
        send(replies, out.data(), out.size());
        have -= requests * IN * 4;
        memmove(data, data + requests * IN * 4, have);
    }
    top->final();
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: only a 1-bit input among the ports is accepted as the clock.
    #[test]
    fn clocks() {
        let ports = [PortSpec::input("a", 2), PortSpec::input("clock", 1)];
        assert_eq!(check_ports("t", &ports, Some("clock")).unwrap(), Some(1));
        assert_eq!(check_ports("t", &ports, None).unwrap(), None);
        assert!(check_ports("t", &ports, Some("a")).is_err());
        assert!(check_ports("t", &[PortSpec::input("a", 0)], None).is_err());
    }
}

#[cfg(test)]
mod harness_tests {
    use super::*;

    fn ports() -> Vec<PortSpec> {
        vec![PortSpec::input("clock", 1), PortSpec::input("a", 65), PortSpec::output("q.x", 8)]
    }

    // Claim: names are escaped, so a port may have any name.
    #[test]
    fn wrapper_connects_by_name() {
        let text = wrapper("mux", &ports());
        assert!(text.contains("input wire [64:0] p1"));
        assert!(text.contains("\\mux dut"));
        assert!(text.contains(".\\q.x (p2)"));
    }

    // Claim: the clock is not part of a request. A port of 65 bits takes three words.
    #[test]
    fn program_counts_words() {
        let text = program(&ports(), Some(0), false);
        assert!(text.contains("IN = 1 + 3, OUT = 1;"));
        assert!(text.contains("{ top.p0 = 1; top.eval(); top.p0 = 0; }"));
        let falling = program(&ports(), Some(0), true);
        assert!(falling.contains("top.p0 = 0; top.eval(); }"));
        assert!(!text.contains("take(top.p0"));
        let text = program(&ports(), None, false);
        assert!(text.contains("IN = 1 + 4, OUT = 1;") && text.contains("take(top.p0"));
    }
}
