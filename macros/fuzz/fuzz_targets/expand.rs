//! The same inputs out of libFuzzer's bytes, which it chooses by the branches that they reach in the macro.

#![no_main]
#![allow(clippy::panic)] // what libFuzzer takes for a fault

use std::sync::LazyLock;

use launchsite_macros_fuzz::{Entropy, Input, Seeds, check};

static SEEDS: LazyLock<Seeds> = LazyLock::new(Seeds::own);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let input = Input::new(&mut Entropy::new(bytes), &SEEDS);
    if let Err(fault) = check(&input) {
        panic!("{fault}\n{input}");
    }
});
