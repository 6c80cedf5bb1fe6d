//! Completions: each shell offers the commands, flags and values of closed lists.

use super::program::stdout;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Starts of command lines, and a word that completes each. The starts are unique.
const LINES: [(&str, &str); 20] = [
    ("compl", "completions"),
    ("swe", "sweep"),
    ("sweep lo", "load"),
    ("run --service-o", "--service-order"),
    ("run --network tor", "torus"),
    ("run --engine lock", "lockstep"),
    ("run --pattern bit", "bitrev"),
    ("run --routing adap", "adaptive"),
    ("run --firmware parall", "parallel_sum"),
    ("compare --networks meta", "metacube"),
    ("compare --pattern total", "total-exchange"),
    ("load bitonic", "bitonic_sort"),
    ("build --design prog", "programs"),
    ("build --board alch", "alchitry-cu"),
    ("monitor --board ice", "icebreaker"),
    ("verilog --design frame-e", "frame-engine"),
    ("prove pin-", "pin-mux"),
    ("equivalence soft-n", "soft-node"),
    ("sweep phase --axis ba", "baud"),
    ("claims tdma-h", "tdma-hypercube"),
];

/// Commands with lists of more than one word, and some of these words.
const LISTS: [(&str, &[&str]); 5] = [
    ("run --network ", &["cm1", "metacube", "rotation", "tdma", "torus"]),
    ("run --pattern ", &["bitrev", "complement", "hotspot", "permutation"]),
    ("build --design ", &["cube", "echo", "programs"]),
    ("build --board ", &["alchitry-cu", "icebreaker", "ulx3s"]),
    ("run --firmware ", &["all_reduce", "echo", "life", "route"]),
];

/// Writes the completions for a shell into a file.
fn write_script(dir: &Path, shell: &str, name: &str) {
    fs::write(dir.join(name), stdout(&["completions", shell])).unwrap();
}

/// Runs a shell in `dir`, in which the completions are.
fn run_shell(dir: &Path, shell: &str, args: &[&str], program: &str) -> Vec<String> {
    let mut command = Command::new(shell);
    command.args(args).arg(program).current_dir(dir);
    command.env("HOME", dir).env("TERM", "dumb");
    let done: Output = command.output().unwrap_or_else(|e| {
        panic!("{shell} cannot be run: {e}; on Debian, install it by `apt-get install {shell}`")
    });
    let [out, err] = [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(done.status.success() && err.is_empty(), "{shell}: {out}\n{err}");
    out.lines().map(str::to_owned).collect()
}

/// Checks what a shell offers, given by a function of a command line.
fn check(shell: &str, offered: impl Fn(&str) -> Vec<String>) {
    for (line, word) in LINES {
        assert_eq!(offered(&format!("phasecube {line}")), [word], "{shell}: {line}");
    }
    for (line, words) in LISTS {
        let offered = offered(&format!("phasecube {line}"));
        for word in words {
            assert!(offered.iter().any(|o| o == word), "{shell}: {line}: {offered:?}");
        }
    }
}

#[test]
fn bash_completes_the_words_of_lists() {
    let dir = tempfile::tempdir().unwrap();
    write_script(dir.path(), "bash", "phasecube.bash");
    check("bash", |line| {
        let words: Vec<&str> = line.split(' ').collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let last = words.len() - 1;
        let program = format!(
            "source ./phasecube.bash\nCOMP_WORDS=({})\nCOMP_CWORD={last}\nCOMP_LINE='{line}'\n\
             _phasecube phasecube '{}' '{}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            quoted.join(" "),
            words[last],
            words[last - 1]
        );
        run_shell(dir.path(), "bash", &["--norc", "-c"], &program)
    });
}

#[test]
#[ignore = "thorough: needs fish"]
fn fish_completes_the_words_of_lists() {
    let dir = tempfile::tempdir().unwrap();
    write_script(dir.path(), "fish", "phasecube.fish");
    check("fish", |line| {
        let program = format!("source ./phasecube.fish; complete -C '{line}'");
        let lines = run_shell(dir.path(), "fish", &["--no-config", "-c"], &program);
        // A description follows the word.
        let word = |line: &String| line.split('\t').next().unwrap().to_owned();
        lines.iter().map(word).collect()
    });
}

/// Program in Python that types lines into zsh on a terminal. For each line it prints the words that
/// the completion adds, in one line. `compadd` is the command of zsh that adds words.
const ZSH: &str = r#"
import os, pty, sys
open("setup.zsh", "w").write(r"""
PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp
fpath=($PWD $fpath); autoload -U compinit; compinit -u -D
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a found
    builtin compadd -A found "$@"
    print -rl -- ${found/#/offered:}
    builtin compadd "$@"
}
offer() { print; zle complete-word; print "offered"" all"; BUFFER=; zle reset-prompt }
zle -N offer; bindkey '^T' offer
""")
child, terminal = pty.fork()
if child == 0:
    os.execlp("zsh", "zsh", "-f", "-i")
shown = b""
def until(mark):
    global shown
    while mark not in shown:
        shown += os.read(terminal, 65536)
    before, _, shown = shown.partition(mark)
    return before.decode().replace("\r", "\n").split("\n")
os.write(terminal, b"source ./setup.zsh; print rea''dy\n")
until(b"ready\r\n")
for line in sys.argv[1:]:
    os.write(terminal, line.encode() + b"\x14")
    lines = until(b"offered all\r\n")
    print(*[line[8:] for line in lines if line.startswith("offered:")])
os.write(terminal, b"exit\n")
"#;

#[test]
#[ignore = "thorough: needs zsh"]
fn zsh_completes_the_words_of_lists() {
    let dir = tempfile::tempdir().unwrap();
    write_script(dir.path(), "zsh", "_phasecube");
    run_shell(dir.path(), "zsh", &["-f", "-n"], "_phasecube");
    let lines = LINES.map(|(line, _)| line).into_iter();
    let lines = lines.chain(LISTS.map(|(line, _)| line));
    let lines: Vec<String> = lines.map(|line| format!("phasecube {line}")).collect();
    let args: Vec<&str> = ["-c", ZSH].into_iter().chain(lines.iter().map(|line| &**line)).collect();
    let (last, args) = args.split_last().unwrap();
    let offered = run_shell(dir.path(), "python3", args, last);
    check("zsh", |line| {
        let number = lines.iter().position(|other| other == line).unwrap();
        offered[number].split(' ').map(str::to_owned).collect()
    });
}

/// Words with other letters, such as `Node<2, 3>`, are syntax errors in fish and several words in
/// bash.
#[test]
fn only_plain_words_are_offered() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(!stdout(&["completions", shell]).contains("Node<2"), "{shell}");
    }
}
