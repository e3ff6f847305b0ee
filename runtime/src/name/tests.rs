//! The naming rules, as tables.

use super::file::start;
use super::fit;
use super::path::function;

#[test]
fn functions_from_the_compilers_paths() {
    let table = [
        ("app::ops::saxpy::{{closure}}", "ops::saxpy"),
        ("app::saxpy::{{closure}}", "app::saxpy"),
        ("app::ops::saxpy::{{closure}}::{{closure}}", "ops::saxpy"),
        ("app::ops::decode::{{closure}}::{{closure}}::{{closure}}", "ops::decode"),
        ("app::ops::scale<f32>::{{closure}}", "ops::scale<f32>"),
        ("app::ops::tile<16>::{{closure}}", "ops::tile<16>"),
        ("rt::generic<u8, 7>::{{closure}}", "rt::generic<u8, 7>"),
        ("app::ops::scale<half::bfloat::bf16>::{{closure}}", "ops::scale<bf16>"),
        ("app::f<alloc::vec::Vec<core::option::Option<f32>>>::{{closure}}", "app::f<Vec<Option<f32>>>"),
        ("app::f<(a::b::C, &d::E)>::{{closure}}", "app::f<(C, &E)>"),
        ("app::f<[a::T; 4]>::{{closure}}", "app::f<[T; 4]>"),
        ("app::f<fn(a::T) -> b::U>::{{closure}}", "app::f<fn(T) -> U>"),
        ("app::f<dyn a::T>::{{closure}}", "app::f<dyn T>"),
        ("<a::Sum<'_> as a::Map>::f<f32, a::Slice::F32::{{constructor}}>::{{closure}}", "Sum::f<f32, F32>"),
        ("app::map<a::Wrap::{{constructor}}>::{{closure}}", "app::map<Wrap>"),
        ("app::map<core::option::Option<f32>::Some::{{constructor}}>::{{closure}}", "app::map<Option<f32>::Some>"),
        (
            "app::map<<a::Lin<f32> as a::Fwd>::go, a::Lin<u8>::new>::{{closure}}",
            "app::map<<Lin<f32> as Fwd>::go, Lin<u8>::new>",
        ),
        ("app::each<app::run::{{closure}}>::{{closure}}", "app::each<run::{{closure}}>"),
        (
            "app::each<app::run<f32>::{{closure}}::{{closure}}, u8>::{{closure}}",
            "app::each<run<f32>::{{closure}}::{{closure}}, u8>",
        ),
        ("app::nn::Linear::forward::{{closure}}", "Linear::forward"),
        ("app::nn::Linear<f32>::forward::{{closure}}", "Linear<f32>::forward"),
        ("<rt::Lin as rt::Fwd>::forward::{{closure}}", "Lin::forward"),
        ("<rt::Lin<f64> as rt::Fwd<u8>>::forward<i32>::{{closure}}", "Lin<f64>::forward<i32>"),
        ("<app::Borrowed<'_> as app::T>::f::{{closure}}", "Borrowed::f"),
        ("app::f<'_, '_>::{{closure}}", "app::f"),
        ("app::f<'_, '_, f32>::{{closure}}", "app::f<f32>"),
        ("<&app::Lin as app::T>::f::{{closure}}", "&Lin::f"),
        ("app::fast::<impl app::Lin>::forward::{{closure}}", "Lin::forward"),
        ("app::fast::<impl app::Fwd for app::Lin<f32>>::forward::{{closure}}", "Lin<f32>::forward"),
        ("app::Fwd::provided::{{closure}}", "Fwd::provided"),
        ("app::outer::inner::{{closure}}", "outer::inner"),
        ("app::r#match::r#loop::{{closure}}", "r#match::r#loop"),
        ("app::größe::π::{{closure}}", "größe::π"),
    ];
    for (path, expected) in table {
        assert_eq!(function(path).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn a_path_that_cannot_be_read_gives_nothing() {
    for path in ["", "{{closure}}", "::", "::{{closure}}"] {
        assert_eq!(function(path), None, "{path}");
    }
    // Unbalanced brackets give something, and no panic.
    for path in ["a::<<<", "a>>::b", "a::b<", "<a as"] {
        let _ = function(path);
    }
}

#[test]
fn s2_8_files_inside_their_package() {
    let table = [
        ("src/ops.rs", "", "/home/me/app", "", "src/ops.rs"),
        ("runtime/src/ops.rs", "runtime", "/home/me/app/runtime", "", "src/ops.rs"),
        ("src/src/ops.rs", "src", "/x/src", "", "src/ops.rs"),
        // A package at the root of its workspace whose folder has the name of a folder in it.
        ("src/ops.rs", "", "/x/src", "", "src/ops.rs"),
        (
            "/home/me/.cargo/registry/src/index-1f/foo-1.0/src/a.rs",
            "",
            "/home/me/.cargo/registry/src/index-1f/foo-1.0",
            "",
            "src/a.rs",
        ),
        ("/b/target/debug/build/foo-9d/out/gen.rs", "", "/b", "/b/target/debug/build/foo-9d/out", "gen.rs"),
        ("/elsewhere/shared/a.rs", "", "/b", "", "a.rs"),
        ("../shared/a.rs", "", "/b", "", "../shared/a.rs"),
        ("runtime2/src/a.rs", "runtime", "/b/runtime", "", "runtime2/src/a.rs"),
        ("app\\src\\a.rs", "app", "C:\\b\\app", "", "src\\a.rs"),
        ("C:\\cargo\\foo\\src\\a.rs", "", "D:\\b", "", "a.rs"),
        ("", "a", "/a", "", ""),
    ];
    for (file, relative, absolute, generated, expected) in table {
        let from = start(file, relative, absolute, generated);
        assert_eq!(&file[from..], expected, "{file}");
    }
}

#[test]
fn names_are_cut_between_characters_and_hold_no_nul() {
    assert_eq!(fit("a\0b"), "a b");
    for bytes in [1, 255, 256, 1023, 1024, 1025, 4096, 65_536] {
        let name = fit(&"x".repeat(bytes));
        assert_eq!(name.len(), bytes.min(1024));
    }
    for shift in 0..4 {
        let name = fit(&("a".repeat(1020 + shift) + "𝄞𝄞"));
        assert!(name.len() <= 1024 && name.chars().all(|c| c == 'a' || c == '𝄞'), "{name}");
    }
}
