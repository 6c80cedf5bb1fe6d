//! The packages have the metadata that a registry requires, under names that are free there.

use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &Path) -> Table {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap()
}

fn root() -> Table {
    read(&Path::new(ROOT).join("Cargo.toml"))
}

/// Returns the workspace's packages for the registry, and their folders.
fn packages() -> Vec<(PathBuf, Table)> {
    let crates = std::fs::read_dir(Path::new(ROOT).join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.insert(0, PathBuf::from(ROOT));
    folders
        .into_iter()
        .map(|folder| (folder.clone(), read(&folder.join("Cargo.toml"))))
        .filter(|(_, package)| package["package"].get("publish") != Some(&Value::Boolean(false)))
        .collect()
}

/// Returns a value of `[package]`, which may be inherited from the workspace.
fn value(package: &Table, key: &str) -> Option<Value> {
    let value = package["package"].get(key)?;
    match value.get("workspace") {
        Some(_) => root()["workspace"]["package"].get(key).cloned(),
        None => Some(value.clone()),
    }
}

#[test]
fn every_package_has_the_metadata_of_the_registry() {
    for (folder, package) in packages() {
        let name = package["package"]["name"].as_str().unwrap();
        let get = |key: &str| {
            value(&package, key).unwrap_or_else(|| panic!("{name} has no {key} in Cargo.toml"))
        };
        for key in ["version", "edition", "description", "rust-version"] {
            assert!(!get(key).as_str().unwrap().is_empty(), "{name}: {key}");
        }
        assert_eq!(get("license").as_str(), Some("MIT OR Apache-2.0"), "{name}");
        let readme = folder.join(get("readme").as_str().unwrap());
        assert!(readme.is_file(), "{name}: {}", readme.display());
        // The registry accepts up to five of each, of up to twenty letters.
        for key in ["keywords", "categories"] {
            let words = get(key).as_array().unwrap().len();
            assert!((1..=5).contains(&words), "{name}: {words} {key}");
        }
        for keyword in get("keywords").as_array().unwrap() {
            assert!(keyword.as_str().unwrap().len() <= 20, "{name}: {keyword}");
        }
    }
}

/// Returns the `[dependencies]` in the TOML blocks of a README.
fn documented_dependencies(readme: &str) -> Table {
    let blocks = readme.split("```toml\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let tables = blocks.filter_map(|block| {
        let table: Table = block.parse().unwrap();
        table.get("dependencies")?.as_table().cloned()
    });
    tables.flatten().collect()
}

/// A README shows the lines that a user's `Cargo.toml` needs: a package of this repository under
/// the name of its library, with the path in a clone, and another one in the version used here.
/// Until the packages are published, no README says that they are in a registry.
#[test]
fn readmes_show_the_dependencies_as_they_are() {
    let packages = packages();
    for (folder, package) in packages.iter().skip(1) {
        let own = package["package"]["name"].as_str().unwrap();
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        for claim in ["in the registry", "crates.io", "docs.rs"] {
            assert!(!readme.contains(claim), "{own}: {claim}");
        }
        let mut shown = vec![];
        for (name, dependency) in documented_dependencies(&readme) {
            let Some(path) = dependency.get("path") else {
                let used = ["dependencies", "dev-dependencies"];
                let used = used.map(|kind| package.get(kind).and_then(|table| table.get(&name)));
                assert!(used.contains(&Some(&dependency)), "{own}: {name}");
                continue;
            };
            let path = path.as_str().unwrap().strip_prefix("phasecube/").unwrap();
            let target = read(&Path::new(ROOT).join(path).join("Cargo.toml"));
            let library = target.get("lib").and_then(|lib| lib.get("name"));
            let real = &target["package"]["name"];
            assert_eq!(dependency.get("package"), Some(real), "{own}: {name}");
            assert_eq!(library.and_then(Value::as_str), Some(&name[..]), "{own}");
            shown.push(real.as_str().unwrap().to_owned());
        }
        // Users of the macros depend on the package that exports them.
        let needed = match own {
            "phasecube-kernel" => "phasecube-hdl",
            own => own,
        };
        assert!(shown.iter().any(|name| name == needed), "{own}: {shown:?}");
    }
}

/// The package name `lockstep` belongs to another project. The library still has that name.
#[test]
fn the_simulator_is_a_package_of_its_own_name() {
    let (_, package) =
        packages().into_iter().find(|(folder, _)| folder.ends_with("lockstep")).unwrap();
    assert_eq!(package["package"]["name"].as_str(), Some("lockstep-rtl"));
    assert_eq!(package["lib"]["name"].as_str(), Some("lockstep"));
}

/// A registry rejects dependencies that have only a path.
#[test]
fn path_dependencies_name_a_version() {
    for (folder, package) in packages() {
        for (name, dependency) in package["dependencies"].as_table().unwrap() {
            if dependency.get("path").is_some() {
                let version = dependency.get("version").and_then(Value::as_str);
                let ours = root()["workspace"]["package"]["version"].clone();
                assert_eq!(version, ours.as_str(), "{name} in {}", folder.display());
            }
        }
    }
}

/// Lists the files that cargo would package for the libraries.
#[test]
fn the_libraries_can_be_packaged() {
    for (folder, package) in packages().into_iter().skip(1) {
        let name = package["package"]["name"].as_str().unwrap();
        let listed = Command::new(env!("CARGO"))
            .args(["package", "--list", "--allow-dirty", "--offline", "-p", name])
            .current_dir(&folder)
            .output()
            .unwrap();
        let text = String::from_utf8(listed.stdout).unwrap();
        let printed = String::from_utf8_lossy(&listed.stderr);
        assert!(listed.status.success(), "{name}: {printed}");
        for file in ["Cargo.toml", "README.md", "LICENSE-MIT", "src/lib.rs"] {
            assert!(text.lines().any(|line| line == file), "{name}: {text}");
        }
    }
}
