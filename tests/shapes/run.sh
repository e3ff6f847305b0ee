#!/usr/bin/env bash
# Runs the launches of a folder with launch shapes on the scripted driver, with the attribute and without.
#
#   bash tests/shapes/run.sh DIR
#
# DIR is a package of functions that launch kernels, each with the line `// @annotate` in front, and a README.md whose
# table says what must hold for each. It is copied, and the copy gets the attributes; DIR itself stays as it is. Then the
# copy is compiled with the feature off and on, this package runs every function of it, and the test `shapes` compares
# what was recorded with the table, and both runs with each other.
set -euo pipefail

folder=${1:-}
if [[ ! -f $folder/README.md || ! -f $folder/Cargo.toml ]]; then
    printf 'no launch shapes in "%s": the argument is a folder with README.md, Cargo.toml and src\n' "$folder" >&2
    exit 2
fi
folder=$(cd -- "$folder" && pwd)
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd -- "$root"
target=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target CARGO_TERM_COLOR=never RUSTFLAGS="${RUSTFLAGS:--D warnings}"
# Where tests/shapes/Cargo.toml has it, whatever the target folder is.
copy=target/launch-shapes
programs=$target/launch-shapes-programs

# Nobody looks at them in a debugger.
bare() { CARGO_PROFILE_DEV_DEBUG=0 cargo "$@"; }

rm -rf -- "$copy" "$programs"
mkdir -p -- "$copy" "$programs"
cp -r -- "$folder/Cargo.toml" "$folder/README.md" "$folder/src" "$copy"
chmod -R u+w -- "$copy"
sed -i 's|// @annotate|#[::launchsite::gpu_kernel]|' "$copy"/src/*.rs
sed -i "s|^\[dependencies\]|&\nlaunchsite = { path = \"$root/runtime\" }|" "$copy/Cargo.toml"
# The versions that were tried, and no other.
cp -- tests/shapes/Cargo.lock "$copy"

for features in '' probe launchsite/enabled probe,launchsite/enabled; do
    printf '== check, features: %s\n' "${features:-none}"
    bare check --quiet --manifest-path "$copy/Cargo.toml" --tests --features "$features"
done

# Not part of what was checked: it starts what some shapes stand on.
{ echo; cat -- tests/shapes/engine.rs; } >> "$copy/src/helpers.rs"
bare clippy --quiet --manifest-path tests/shapes/Cargo.toml --features enabled
for features in off enabled enabled,probe; do
    printf '== build, features: %s\n' "$features"
    bare build --quiet --manifest-path tests/shapes/Cargo.toml --features "${features/off/}"
    cp -- "$target/debug/launchsite-shapes" "$programs/${features/,/-}"
done

cargo build --quiet -p launchsite-tests --examples
LAUNCH_SHAPES_README="$folder/README.md" LAUNCH_SHAPES_SOURCE="$root/$copy/src" LAUNCH_SHAPES_PROGRAMS="$programs" \
    cargo test --quiet -p launchsite-tests --test shapes -- --nocapture
