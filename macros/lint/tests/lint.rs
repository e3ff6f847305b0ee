//! What is found in files, and what is passed over.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail so")]

use std::fs;

use launchsite_lint::{Error, unnamed_launches};
use tempfile::TempDir;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = format!("{}/", folder.path().display());
    unnamed_launches(folder.path()).unwrap().iter().map(|one| one.to_string().replace(&root, "")).collect()
}

const OPS: &str = "use cudarc::driver::*;
pub fn saxpy(s: &CudaStream) -> R {
    let mut b = s.launch_builder(&f);
    unsafe { b.launch(cfg) }?;
    unsafe { b.launch(cfg) }
}
#[gpu_kernel]
pub fn named(b: LaunchArgs) -> R { b.launch(cfg) }
#[launchsite::gpu_kernel(caller)]
fn named_by_path(b: LaunchArgs) -> R { b.launch(cfg) }
#[cfg_attr(feature = \"profile\", launchsite::gpu_kernel)]
fn named_where_it_is_asked_for(b: LaunchArgs) -> R { b.launch(cfg) }
struct Linear<T>(T);
impl<T> Linear<T> {
    fn forward(&self, g: &CudaGraph) -> R { g.launch() }
}
#[gpu_kernel]
impl Named { fn method(&self) -> R { self.b.launch(cfg) } }
impl Layer for &Linear<u8> { fn apply(&self) -> R { vec![1].iter().map(|_| self.b.launch(cfg)).collect() } }
trait Layer { fn apply(&self) -> R; fn twice(&self) -> R { sys::cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, p, e) } }
fn outer() { fn inner(b: B) -> R { b.launch(cfg) } inner(b) }
mod deep { pub(crate) async fn r#move(b: B) -> R { b.launch(cfg) } }
fn launches_nothing() { app.start(window) }
const fn constant(b: B) -> R { b.launch(cfg) }
// launchsite: no launch
fn app(window: Window) { window.launch(options) }
fn one_line(window: Window) { window.launch(options) } // launchsite: no launch
fn below(b: B) -> R { b.launch(cfg) }
#[test]
fn tested() { b.launch(cfg); }
#[cfg(test)]
mod tests { fn helps(b: B) -> R { b.launch(cfg) } }
#[cfg(not(test))]
mod not_tests { fn helps(b: B) -> R { b.launch(cfg) } }
";

#[test]
fn s4_10_functions_that_launch_without_the_attribute_are_listed() {
    let expected = [
        "src/ops.rs:2:8: public `saxpy` launches in lines 4, 5 without `#[gpu_kernel]`",
        "src/ops.rs:15:8: `Linear::forward` launches in line 15 without `#[gpu_kernel]`",
        "src/ops.rs:19:33: public `Linear::apply` launches in line 19 without `#[gpu_kernel]`",
        "src/ops.rs:20:40: public `Layer::twice` launches in line 20 without `#[gpu_kernel]`",
        "src/ops.rs:21:17: `inner` launches in line 21 without `#[gpu_kernel]`",
        "src/ops.rs:22:32: `r#move` launches in line 22 without `#[gpu_kernel]`",
        "src/ops.rs:28:4: `below` launches in line 28 without `#[gpu_kernel]`",
        "src/ops.rs:34:20: `helps` launches in line 34 without `#[gpu_kernel]`",
    ];
    let beside = [("target/debug/x.rs", "not Rust"), (".hidden/x.rs", "not Rust"), ("src/notes.txt", "not Rust")];
    let files: Vec<_> = [("src/ops.rs", OPS)].into_iter().chain(beside).collect();
    assert_eq!(found(&files), expected);
}

#[test]
fn s4_10_what_launches_something_else_is_passed_over() {
    let rocket = "async fn main() { rocket::build().launch().await; browser.launch(options); }";
    assert_eq!(found(&[("src/main.rs", rocket)]), Vec::<String>::new());
    // A function of the driver launches whatever else is in its file.
    let raw = "pub unsafe fn go() { browser.launch(options);\n ffi::cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, p, e); }";
    assert_eq!(
        found(&[("src/main.rs", raw)]),
        ["src/main.rs:1:15: public `go` launches in line 2 without `#[gpu_kernel]`"]
    );
}

#[test]
fn s4_10_what_cannot_be_looked_at_is_told() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(unnamed_launches(folder.path()), Err(Error::Nothing(_))));
    assert!(matches!(unnamed_launches(folder.path().join("none.rs")), Err(Error::Unreadable(..))));
    let file = folder.path().join("lib.rs");
    fs::write(&file, "fn a() {}\nfn b( {}\n").unwrap();
    let error = unnamed_launches(&file).unwrap_err();
    assert!(matches!(error, Error::NotRust(_, 2, _)), "{error}");
    // A file by itself.
    fs::write(&file, "fn a(b: LaunchArgs) { b.launch(cfg) }\n").unwrap();
    assert_eq!(unnamed_launches(&file).unwrap().len(), 1);
}
