//! Compiles the C that ranges are compared with.

fn main() {
    println!("cargo::rerun-if-changed=c/range.c");
    cc::Build::new().file("c/range.c").opt_level(2).warnings_into_errors(true).compile("bare_range");
}
