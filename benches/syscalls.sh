#!/usr/bin/env bash
# What a timed launch asks of the system: the calls of the thread that launches, for 1,000 and for 200,000 launches more, on a driver
# whose calls return at once and ask for nothing. Fails if anything but a wake of the collector (a `futex`) grows with the launches,
# or if there is more than one for each. Needs `strace`.
#
#     bash benches/syscalls.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
cargo build --quiet --release --examples --bins
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$target/examples/libidle_driver.so" "$work/libcuda.so"

calls() { # LAUNCHES: each call of the main thread and how often it was made
    env LAUNCHSITE=time "${@:2}" LD_LIBRARY_PATH="$work" strace -f -o "$work/log" "$target/counted" chain named "$1"
    local main
    main=$(awk 'NR == 1 { print $1 }' "$work/log")
    awk -v main="$main" '$1 == main && match($2, /^[a-z_0-9]+\(/) { made[substr($2, 1, RLENGTH - 1)]++ }
        END { for (call in made) print call, made[call] }' "$work/log" | sort
}

held=0
for budget in LAUNCHSITE_BUDGET= LAUNCHSITE_BUDGET=1/100; do
    calls 1000 "$budget" > "$work/few"
    calls 200000 "$budget" > "$work/many"
    join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$work/few" "$work/many" | awk -v budget="$budget" '
        BEGIN { printf "%s\n%-20s %10s %10s\n", budget, "call", 1000, 200000 }
        { more = $3 - $2; printf "%-20s %10d %10d%s\n", $1, $2, $3, (more > 0 ? "  grows" : "") }
        $1 != "futex" && more > 20 { missed = 1 }
        $1 == "futex" { wakes = more }
        END { printf "wakes a launch: %.5f\n", wakes / 199000; exit missed || wakes > 199000 }' || held=1
done
exit $held
