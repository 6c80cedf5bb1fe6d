//! Tests fetching with fake servers and pip configurations.

use super::*;
use std::ffi::OsStr;

/// Environment variables with which a user of pip changes the destination of packages and other
/// behaviour.
const USER_SETTINGS: [(&str, &str); 9] = [
    ("PIP_USER", "1"),
    ("PIP_TARGET", "/elsewhere/target"),
    ("PIP_PREFIX", "/elsewhere/prefix"),
    ("PIP_ROOT", "/elsewhere/root"),
    ("PIP_DRY_RUN", "1"),
    ("PIP_QUIET", "3"),
    ("PIP_PYTHON", "/elsewhere/python"),
    ("PIP_REQUIRE_HASHES", "1"),
    ("PIP_LOG", "/elsewhere/log"),
];

fn variables<'a>(
    of: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    let of: Vec<_> = of.into_iter().map(|(n, v)| (n.into(), v.into())).collect();
    of.into_iter()
}

// Claim: pip gets only those settings of the user that the access to an index may need.
#[test]
fn only_network_settings_reach_pip() {
    let index = [
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
        ("PIP_CERT", "/etc/cert"),
        ("PIP_CONFIG_FILE", "/home/pip.conf"),
        ("HTTPS_PROXY", "http://127.0.0.1:8"),
        ("HOME", "/home"),
    ];
    let pip = pip(
        "/venv".as_ref(),
        "/dir".as_ref(),
        &["a==1"],
        variables(USER_SETTINGS.into_iter().chain(index)),
    );
    let mut kept: Vec<(&OsStr, Option<&OsStr>)> = pip.get_envs().collect();
    let mut expected: Vec<_> = index.map(|(n, v)| (OsStr::new(n), Some(OsStr::new(v)))).into();
    kept.sort();
    expected.sort();
    assert_eq!(kept, expected);
}

// Claim: an address that did not answer is named. A faulty package names no address.
#[test]
fn unreachable_addresses_are_named() {
    let retrying = "WARNING: Retrying (Retry(total=0)) after connection broken\n";
    let index =
        "Could not fetch URL http://127.0.0.1:9/simple/a/: connection error: refused - skipping\n";
    let package = "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='127.0.0.1', port=9): Max retries\n";
    let absent = "ERROR: No matching distribution found for a==1\n";
    for (log, named) in [
        ([retrying, index, absent].concat(), vec!["http://127.0.0.1:9/simple/a/"]),
        ([retrying, package].concat(), vec!["127.0.0.1"]),
        ([retrying, absent].concat(), vec!["the package index"]),
        (absent.to_owned(), vec![]),
    ] {
        assert_eq!(unreachable(&log), named, "{log}");
    }
    let error = ToolError::Fetch {
        packages: "a==1".into(),
        unreachable: unreachable(&[retrying, index].concat()).into(),
        tail: String::new(),
        log: "/log".into(),
        remedy: String::new(),
    };
    let says = "could not fetch a==1 (http://127.0.0.1:9/simple/a/ cannot be reached";
    assert!(error.to_string().starts_with(says) && error.in_one_line().starts_with(says));
    assert!(index_unreachable(&error));
}

/// Writes a wheel of the package `a`, version 1, with the Python on `PATH`.
#[cfg(unix)]
fn wheel(folder: &Path) {
    let script = "
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + '/a-1-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('a.py', 'ONE = 1\\n')
    wheel.writestr('a-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: a\\nVersion: 1\\n')
    wheel.writestr('a-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('a-1.dist-info/RECORD', 'a.py,,\\na-1.dist-info/METADATA,,\\na-1.dist-info/WHEEL,,\\na-1.dist-info/RECORD,,\\n')
";
    let mut python = Command::new("python3");
    let done = python.args(["-c", script]).arg(folder).status().unwrap();
    assert!(done.success());
}

// Claim: packages go into the folder of their group. The user's variables and files, and the name
// of the folder, do not change this.
#[cfg(unix)]
#[test]
#[ignore = "thorough: makes a virtual environment and starts pip six times"]
fn user_configuration_does_not_change_the_destination() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let dir = at("a b'c$d");
    let venv = dir.join("venv");
    for folder in ["wheels", ".config/pip", "elsewhere", "a b'c$d"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    wheel(&at("wheels"));
    let mut made = Command::new("python3");
    assert!(made.args(["-I", "-m", "venv"]).arg(&venv).status().unwrap().success());

    let elsewhere = at("elsewhere").display().to_string();
    let wheels = at("wheels").display().to_string();
    let of_user =
        USER_SETTINGS.map(|(name, value)| (name, value.replace("/elsewhere", &elsewhere)));
    let settings = [
        String::new(),
        "user = true".to_owned(),
        format!("target = {elsewhere}/target"),
        format!("prefix = {elsewhere}/prefix"),
        format!("root = {elsewhere}/root"),
        format!("no-binary = :all:\nlog = {elsewhere}/log"),
    ];
    for (setting, with_variables) in settings.iter().zip([true, false, false, false, false, false])
    {
        let configuration =
            format!("[global]\nfind-links = {wheels}\nno-index = true\n[install]\n{setting}\n");
        fs::write(at(".config/pip/pip.conf"), configuration).unwrap();
        let home = home.path().display().to_string();
        let of_user = of_user.iter().filter(|_| with_variables);
        let of_user = of_user.map(|(name, value)| (*name, value.as_str()));
        let path = env::var("PATH").unwrap();
        let all = of_user.chain([("HOME", home.as_str()), ("PATH", &path)]);
        let mut pip = pip(&venv, &dir, &["a==1"], variables(all));
        let done = crate::command::run_logged(&mut pip, "pip", &dir.join("pip.log"));
        done.unwrap_or_else(|error| panic!("{setting}: {error}"));
        let site = dir.join("site");
        assert!(site.join("a.py").is_file(), "{setting}");
        assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0, "{setting}");
        assert!(!at(".local").exists(), "{setting}");
        fs::remove_dir_all(site).unwrap();
    }
}
