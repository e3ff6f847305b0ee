#!/usr/bin/env bash
# What an annotated function costs to build: a crate with 500 functions that launch, without an attribute, with
# `#[gpu_kernel]`, the feature on and off, and with `#[tracing::instrument]`. Dependencies are built before; every round
# builds each way once, in turn, and the least of the rounds counts: what else the machine does only adds.
#
#     bash benches/build_time.sh [FUNCTIONS] [ROUNDS]
set -euo pipefail
functions=${1:-500} rounds=${2:-5}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
ways=(none on off instrument)

attribute() {
    case $1 in
        on | off) echo '#[launchsite::gpu_kernel]' ;;
        instrument) echo '#[tracing::instrument(skip_all)]' ;;
    esac
}

crate() { # WAY
    local way=$1 feature='' dir=$work/$1
    [ "$way" = on ] && feature=', features = ["enabled"]'
    mkdir -p "$dir/src"
    cat > "$dir/Cargo.toml" <<TOML
[package]
name = "built-$way"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
launchsite = { path = "$root/runtime"$feature }
tracing = "0.1"
cudarc = { version = "0.19.10", default-features = false, features = ["std", "driver", "cuda-version-from-build-system", "fallback-latest", "fallback-dynamic-loading"] }
TOML
    {
        echo 'use std::sync::Arc;'
        echo 'use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};'
        for i in $(seq "$functions"); do
            attribute "$way"
            cat <<RUST
pub fn launch_$i(stream: &Arc<CudaStream>, kernel: &CudaFunction, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>, n: u32) -> Result<(), DriverError> {
    let config = LaunchConfig::for_num_elems(n + $i);
    let scale = $i.5_f32;
    let mut builder = stream.launch_builder(kernel);
    builder.arg(&n).arg(&scale).arg(x).arg(y);
    unsafe { builder.launch(config) }?;
    Ok(())
}
RUST
        done
    } > "$dir/src/lib.rs"
}

build() { # WAY MODE: seconds
    local way=$1 dir=$work/$1 start end
    touch "$dir/src/lib.rs"
    start=$(date +%s%N)
    if [ "$2" = check ]; then
        cargo check --quiet --manifest-path "$dir/Cargo.toml" --target-dir "$work/target-$way"
    else
        cargo build --quiet --release --manifest-path "$dir/Cargo.toml" --target-dir "$work/target-$way"
    fi
    end=$(date +%s%N)
    echo $((end - start))
}

for way in "${ways[@]}"; do
    crate "$way"
    build "$way" check > /dev/null
    build "$way" release > /dev/null
done
declare -A least
for _ in $(seq "$rounds"); do
    for mode in check release; do
        for way in "${ways[@]}"; do
            took=$(build "$way" "$mode")
            key=$way-$mode
            if [ -z "${least[$key]:-}" ] || [ "$took" -lt "${least[$key]}" ]; then least[$key]=$took; fi
        done
    done
done
printf '%d functions, the least of %d rounds\n' "$functions" "$rounds"
printf '%-12s %9s %9s %14s %18s\n' '' 'check s' 'release s' 'check, a fn us' 'release, a fn us'
for way in "${ways[@]}"; do
    awk -v way="$way" -v n="$functions" -v c="${least[$way-check]}" -v r="${least[$way-release]}" \
        -v c0="${least[none-check]}" -v r0="${least[none-release]}" \
        'BEGIN { printf "%-12s %9.2f %9.2f %14.0f %18.0f\n", way, c / 1e9, r / 1e9, (c - c0) / n / 1e3, (r - r0) / n / 1e3 }'
done
