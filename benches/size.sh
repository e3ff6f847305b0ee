#!/usr/bin/env bash
# What an annotated launch adds to a binary: a program with so many functions that launch, without an attribute and with it;
# code, constants, data and unwinding tables of the two, stripped of nothing. Fails above 600 bytes a launch.
#
#     bash benches/size.sh [FUNCTIONS]
set -euo pipefail
functions=${1:-500}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

program() { # WAY ATTRIBUTE
    local dir=$work/$1
    mkdir -p "$dir/src"
    # Both have the runtime in them: what is counted is what each launch adds.
    cat > "$dir/Cargo.toml" <<TOML
[package]
name = "sized-$1"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
launchsite = { path = "$root/runtime", features = ["enabled"] }
cudarc = { version = "0.19.10", default-features = false, features = ["std", "driver", "cuda-version-from-build-system", "fallback-latest", "fallback-dynamic-loading"] }
TOML
    {
        echo 'use std::sync::Arc;'
        echo 'use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};'
        echo 'use cudarc::nvrtc::Ptx;'
        echo 'type Launch = fn(&Arc<CudaStream>, &CudaFunction, &CudaSlice<f32>, &mut CudaSlice<f32>, u32) -> Result<(), DriverError>;'
        # One of them is annotated in both, so that what an attribute brings only once is in both.
        for i in $(seq 0 "$functions"); do
            if [ "$i" = 0 ]; then echo '#[launchsite::gpu_kernel]'; else echo "$2"; fi
            cat <<RUST
fn launch_$i(stream: &Arc<CudaStream>, kernel: &CudaFunction, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>, n: u32) -> Result<(), DriverError> {
    let config = LaunchConfig::for_num_elems(n + $i);
    let scale = $i.5_f32;
    let mut builder = stream.launch_builder(kernel);
    builder.arg(&n).arg(&scale).arg(x).arg(y);
    unsafe { builder.launch(config) }?;
    Ok(())
}
RUST
        done
        echo "static LAUNCHES: [Launch; $functions + 1] = ["
        for i in $(seq 0 "$functions"); do echo "    launch_$i,"; done
        cat <<'RUST'
];
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let (stream, module) = (context.new_stream()?, context.load_module(Ptx::from_src(""))?);
    let (kernel, x, mut y) = (module.load_function("saxpy")?, stream.alloc_zeros(64)?, stream.alloc_zeros(64)?);
    for launch in std::hint::black_box(LAUNCHES) {
        launch(&stream, &kernel, &x, &mut y, 64)?;
    }
    Ok(launchsite::flush(std::time::Duration::from_secs(1))?)
}
RUST
    } > "$dir/src/main.rs"
    sed -i 's/"driver", /"driver", "nvrtc", /' "$dir/Cargo.toml"
    cargo build --quiet --release --manifest-path "$dir/Cargo.toml" --target-dir "$work/target"
}

sections() { # WAY: bytes of each section that is loaded
    size --format=sysv "$work/target/release/sized-$1" |
        awk '$1 ~ /^\.(text|rodata|data|data\.rel\.ro|eh_frame|eh_frame_hdr|gcc_except_table|rela\.dyn|got|bss)$/ { print $1, $2 }' | sort
}

program none ''
program annotated '#[launchsite::gpu_kernel]'
join <(sections none) <(sections annotated) | awk -v n="$functions" '
    BEGIN { printf "%-20s %12s %12s %14s\n", "section", "none", "annotated", "bytes a launch" }
    {
        printf "%-20s %12d %12d %14.1f\n", $1, $2, $3, ($3 - $2) / n
        if ($1 == ".text") code = ($3 - $2) / n
        if ($1 != ".bss" && $1 != ".rela.dyn") more += ($3 - $2) / n
        file += ($1 == ".bss") ? 0 : ($3 - $2) / n
    }
    END {
        printf "%-20s %40.1f   at most 600        %s\n", "all but relocations", more, more <= 600 ? "holds" : "MISSED"
        printf "%-20s %40.1f\n", "with relocations", file
        exit more > 600
    }'
