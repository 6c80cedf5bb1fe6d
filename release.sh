#!/usr/bin/env bash
# Builds the release files in target/release-files: static programs and Python wheels for Linux on x86-64 and AArch64.
# Starts each program in an empty folder with an empty environment, also those in the wheels, and installs the wheel for
# this machine into a new environment. Checks that every package for the registry builds from its pack. Takes no
# arguments.
# Needs Rust from rustup, Python 3 with venv, and qemu-aarch64-static to start the AArch64 programs.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=$PWD/target/release-build CARGO_INCREMENTAL=0
out=$PWD/target/release-files
rm -rf "$out"
mkdir -p "$out"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

# starts COMMAND ..: the program runs without the repository, also with what is embedded in it: firmware, claims, boards,
# proofs, pin assignments, Verilog.
starts() {
    local arguments
    for arguments in --version 'run --dims 4 --pattern bitrev --firmware route' claims boards 'prove --list' \
        'verilog --design pin-mux --dims 2 --out pin-mux' 'verilog --design cube --dims 3 --out cube'; do
        # shellcheck disable=SC2086
        if ! (cd "$empty" && env -i HOME="$empty" PATH=/usr/bin:/bin "$@" $arguments) >"$empty/output" 2>&1; then
            cat "$empty/output" >&2
            echo "release.sh: failed: $* $arguments" >&2
            exit 1
        fi
    done
    echo "starts: $*"
}

for machine in x86_64 aarch64; do
    # Rust's own linker and C library: no other tool, and no library of the system at run time.
    target=$machine-unknown-linux-musl
    rustup target add "$target"
    name=${target^^}
    export "CARGO_TARGET_${name//-/_}_LINKER=rust-lld"
    cargo build --locked --release --package phasecube --target "$target"
    program=$out/phasecube-$machine-linux
    cp "$CARGO_TARGET_DIR/$target/release/phasecube" "$program"
    if [ "$machine" = "$(uname -m)" ]; then
        starts "$program"
    else
        if ! emulator=$(command -v "qemu-$machine-static"); then
            echo "release.sh: qemu-$machine-static is missing; on Debian it is in qemu-user-static" >&2
            exit 1
        fi
        starts "$emulator" "$program"
    fi
done

# The wheels hold the same static programs, which fit any C library.
python3 -m venv "$empty/venv"
"$empty/venv/bin/pip" install --quiet 'maturin>=1.9,<2'
for machine in x86_64 aarch64; do
    "$empty/venv/bin/maturin" build --quiet --release --target "$machine-unknown-linux-musl" \
        --compatibility manylinux2014 musllinux_1_1 --out "$out"
    if [ "$machine" = "$(uname -m)" ]; then
        "$empty/venv/bin/pip" install --quiet "$out"/*"_$machine.whl"
        starts "$empty/venv/bin/phasecube"
        (cd "$empty" && venv/bin/python -c 'import phasecube, phasecube.host; assert phasecube.run().delivered == 8')
    else
        python3 -m zipfile -e "$out"/*"_$machine.whl" "$empty/$machine"
        # An unpacked wheel has no permissions.
        chmod +x "$empty/$machine"/phasecube-*.data/scripts/phasecube
        starts "qemu-$machine-static" "$empty/$machine"/phasecube-*.data/scripts/phasecube
    fi
done

cargo publish --dry-run --workspace --locked
(cd "$out" && sha256sum -- * | tee SHA256SUMS)
