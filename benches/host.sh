#!/usr/bin/env bash
# Builds and runs what is measured on the host: rows 2, 3, 4, 7, 8 and 12 of the table in benches/README.md. Peers that need
# libclang or a C++ compiler are left out where there is none. Fails on a bar that is missed.
#
#     bash benches/host.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
features=()
# Where bindgen looks for it.
if [ -n "${LIBCLANG_PATH:-}" ] || compgen -G '/usr/lib/llvm*/lib/libclang*.so*' > /dev/null ||
    compgen -G '/usr/lib*/libclang*.so*' > /dev/null || compgen -G '/usr/lib/*/libclang-[0-9]*.so*' > /dev/null; then
    features+=(nvtx)
else
    echo 'no libclang: without the nvtx crate and NvtxLayer'
fi
if command -v c++ > /dev/null; then features+=(tracy); else echo 'no C++ compiler: without tracy-client'; fi
cargo build --quiet --release --examples --bins --features "$(IFS=,; echo "${features[*]}")"
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
exec "$target/release/host"
