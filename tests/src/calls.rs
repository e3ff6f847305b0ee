//! What the recording NVTX tool saw, and the scripted driver.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

/// The recording tool's library.
///
/// # Panics
/// It has not been built.
pub fn tool() -> PathBuf {
    example("nvtx_tool")
}

/// The scripted driver's library.
///
/// # Panics
/// It has not been built.
pub fn scripted_driver() -> PathBuf {
    example("scripted_driver")
}

/// A library that cargo builds as an example of this package.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its binary");
    let profile = test.ancestors().nth(2).expect("it lies in target/<profile>/deps");
    let library = profile.join(format!("examples/lib{name}.so"));
    let release = if profile.ends_with("release") { " --release" } else { "" };
    assert!(
        library.is_file(),
        "{} is missing: build it with `cargo build -p launchsite-tests --example {name}{release}`",
        library.display(),
    );
    library
}

/// A log of the tool or the driver: a value for each call that reached it, in order.
#[derive(Debug)]
pub struct Calls(Vec<Value>);

impl Calls {
    pub(crate) fn parse(log: &str) -> Self {
        let call = |line| serde_json::from_str(line).expect("a call is JSON");
        Self(log.lines().map(call).collect())
    }

    /// All of them.
    pub fn all(&self) -> &[Value] {
        &self.0
    }

    /// Whether no call reached it, not even the one that starts it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The calls of the function `name`.
    pub fn of(&self, name: &str) -> Vec<&Value> {
        self.0.iter().filter(|call| call["call"] == name).collect()
    }

    /// The names of all functions that were called.
    pub fn functions(&self) -> BTreeSet<&str> {
        self.0.iter().filter_map(|call| call["call"].as_str()).collect()
    }

    /// The texts of the ranges that were opened, in order.
    pub fn pushed(&self) -> Vec<&str> {
        self.of("push").iter().map(|push| push["text"].as_str().expect("a registered text")).collect()
    }

    /// The domain that was created by the name of `launchsite`.
    pub fn domain(&self) -> &Value {
        let domains = self.of("domain_create");
        assert_eq!(domains.len(), 1, "one domain: {domains:?}");
        assert_eq!(domains[0]["name"], "launchsite");
        &domains[0]["domain"]
    }

    /// As [`check_balance`](Self::check_balance), or that the tool was not loaded.
    pub fn check_balance_or_absence(&self) {
        if !self.is_empty() {
            self.check_balance();
        }
    }

    /// Asserts that only calls of ranges and what goes with them came, all in our domain; that each thread closed
    /// what it opened; and that nothing was open around a launch of ours, so that nothing outlived its launch call.
    pub fn check_balance(&self) {
        let known = ["init", "initialize", "domain_create", "category", "register", "push", "pop"];
        for function in self.functions() {
            // No start and end, which name no kernels; no marks; nothing in the global domain, whose calls have other
            // names: kokkos-tools#99, amrex#1177, rocm-systems#8141, deepspeed#7912.
            assert!(known.contains(&function), "{function} was called");
        }
        let depths = self.depths();
        assert!(depths.iter().all(|&depth| depth == 1), "a range was left open: {depths:?}");
    }

    /// How deep each range is nested on its thread, in the order in which they were opened. Each is closed by its thread,
    /// and all are in our domain.
    pub fn depths(&self) -> Vec<u64> {
        let domain = self.domain();
        let mut depths = Vec::new();
        let mut open: BTreeMap<u64, u64> = BTreeMap::new();
        for call in self.0.iter().filter(|call| ["push", "pop"].iter().any(|name| call["call"] == *name)) {
            assert_eq!(&call["domain"], domain, "{call}");
            let level = open.entry(call["thread"].as_u64().unwrap()).or_default();
            if call["call"] == "push" {
                *level += 1;
                depths.push(*level);
            } else {
                *level = level.checked_sub(1).unwrap_or_else(|| panic!("no range is open: {call}"));
            }
        }
        assert!(open.values().all(|&level| level == 0), "a range is open at the end: {open:?}");
        depths
    }
}
