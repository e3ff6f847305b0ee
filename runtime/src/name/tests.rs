//! The naming rules, as tables.

use super::caller::of_caller;
use super::path::function;
use super::{File, Kind, Spot, Texts, Twin, fit};

#[test]
fn s2_4_functions_from_the_compilers_paths() {
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
        ("app::f<'{'>::{{closure}}", "app::f<'{'>"),
        ("app::f<'}', '<'>::{{closure}}", "app::f<'}', '<'>"),
        ("app::S<'>'>::f<'\\'', a::T>::{{closure}}", "S<'>'>::f<'\\'', T>"),
        ("app::f<'_, ':', '\\\\', '\\u{7f}', '(', '𝄞'>::{{closure}}", "app::f<':', '\\\\', '\\u{7f}', '(', '𝄞'>"),
        ("<app::S<'_, ' '> as a::T<'a'>>::f::{{closure}}", "S<' '>::f"),
        ("<&app::Lin as app::T>::f::{{closure}}", "&Lin::f"),
        ("app::fast::<impl app::Lin>::forward::{{closure}}", "Lin::forward"),
        ("app::fast::<impl app::Fwd for app::Lin<f32>>::forward::{{closure}}", "Lin<f32>::forward"),
        ("app::Fwd::provided::{{closure}}", "Fwd::provided"),
        ("app::outer::inner::{{closure}}", "outer::inner"),
        ("app::r#match::r#loop::{{closure}}", "r#match::r#loop"),
        ("app::größe::π::{{closure}}", "größe::π"),
        // Closures, async blocks and functions in functions.
        ("app::ops::run::{{closure}}::{{closure}}::{{closure}}", "ops::run"),
        ("app::ops::run::{{closure}}::inner::{{closure}}", "run::inner"),
        ("app::ops::run::inner::innermost::{{closure}}", "inner::innermost"),
        ("app::ops::run<f32>::inner::{{closure}}", "run<f32>::inner"),
        ("app::a::b::c::d::e::{{closure}}", "d::e"),
        ("app::main::{{closure}}", "app::main"),
        ("main::{{closure}}", "main"),
        // Types of every kind as arguments.
        ("app::f<u8, i64, bool, char, str>::{{closure}}", "app::f<u8, i64, bool, char, str>"),
        ("app::f<()>::{{closure}}", "app::f<()>"),
        ("app::f<(a::T,)>::{{closure}}", "app::f<(T,)>"),
        ("app::f<[a::T]>::{{closure}}", "app::f<[T]>"),
        ("app::f<&mut a::T>::{{closure}}", "app::f<&mut T>"),
        ("app::f<*const a::T>::{{closure}}", "app::f<*const T>"),
        ("app::f<&dyn a::T>::{{closure}}", "app::f<&dyn T>"),
        ("app::f<dyn a::T + core::marker::Send>::{{closure}}", "app::f<dyn T + Send>"),
        ("app::f<fn()>::{{closure}}", "app::f<fn()>"),
        ("app::f<fn(a::T, b::U) -> core::result::Result<c::V, d::E>>::{{closure}}", "app::f<fn(T, U) -> Result<V, E>>"),
        ("app::f<a::T<b::U<c::V<8>>>>::{{closure}}", "app::f<T<U<V<8>>>>"),
        ("app::f<-1, true, 'x'>::{{closure}}", "app::f<-1, true, 'x'>"),
        // Methods, provided and of traits with arguments, on types of every kind.
        ("<a::T<f32> as a::Tr<f64>>::m::{{closure}}", "T<f32>::m"),
        ("<[a::T; 4] as a::Tr>::m::{{closure}}", "[T; 4]::m"),
        ("<(a::T, b::U) as a::Tr>::m::{{closure}}", "(T, U)::m"),
        ("<dyn a::Tr as a::Other>::m::{{closure}}", "dyn Tr::m"),
        ("<alloc::boxed::Box<dyn a::Tr> as a::Other>::m::{{closure}}", "Box<dyn Tr>::m"),
        ("<a::T as a::Tr>::m<b::U>::{{closure}}::{{closure}}", "T::m<U>"),
        ("app::nn::<impl app::T<f32>>::m::{{closure}}", "T<f32>::m"),
        ("app::nn::<impl core::ops::Add<b::U> for app::T>::add::{{closure}}", "T::add"),
        // Names of every kind.
        ("app::r#fn::{{closure}}", "app::r#fn"),
        ("app::数学::加法::{{closure}}", "数学::加法"),
        ("app::_private::__launch::{{closure}}", "_private::__launch"),
        ("app::Größe<app::π::Ω>::maß::{{closure}}", "Größe<Ω>::maß"),
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
        ("app\\src\\a.rs", "app", "C:\\b\\app", "", "src/a.rs"),
        ("C:\\cargo\\foo\\src\\a.rs", "", "D:\\b", "", "a.rs"),
        ("", "a", "/a", "", ""),
    ];
    for (file, relative, absolute, generated, expected) in table {
        assert_eq!(File::of(file, relative, absolute, generated).inside(), expected, "{file}");
    }
    // The folder is kept where it is the same in every checkout.
    let folder = |file, relative, absolute| File::of(file, relative, absolute, "").folder();
    assert_eq!(folder("crates/app/src/ops.rs", "crates/app", "/w/crates/app"), "crates/app/");
    assert_eq!(folder("/w/crates/app/src/ops.rs", "", "/w/crates/app"), "");
}

/// A path that is longer than there is room for keeps its end, in every checkout the same.
#[test]
fn s2_8_a_long_path_keeps_its_end() {
    for length in [110, 119, 120, 121, 200, 1000] {
        let inside = format!("src/{}.rs", "x".repeat(length - 7));
        let short = File::of(&inside, "", "/w/app", "").inside();
        let expected = if length <= 120 { inside.clone() } else { format!("...{}", &inside[length - 117..]) };
        assert_eq!(short, expected);
        let below = File::of(&format!("crates/app/{inside}"), "crates/app", "/w/crates/app", "");
        assert_eq!(below.inside(), expected, "whatever the folder");
        let absolute = File::of(&format!("/w/crates/app/{inside}"), "", "/w/crates/app", "");
        assert_eq!((absolute.inside(), absolute.folder()), (expected, String::new()));
    }
}

#[test]
fn names_are_cut_between_characters_and_hold_no_nul() {
    assert_eq!(fit("a\0b\nc\td"), "a b c d");
    for bytes in [1, 255, 256, 1023, 1024, 1025, 4096, 65_536] {
        let name = fit(&"x".repeat(bytes));
        assert_eq!(name.len(), bytes.min(1024));
    }
    for shift in 0..4 {
        let name = fit(&("a".repeat(1020 + shift) + "𝄞𝄞"));
        assert!(name.len() <= 1024 && name.chars().all(|c| c == 'a' || c == '𝄞'), "{name}");
    }
}

#[test]
fn s2_8_a_callers_file_inside_its_package() {
    let site = |folder: &'static str| Spot {
        kind: Kind::Kernel,
        function: "f",
        given: "",
        category: "",
        color: None,
        module: "app",
        package: "my-app",
        file: Box::leak(Box::new(File::of(
            Box::leak(format!("{folder}src/ops.rs").into_boxed_str()),
            folder.trim_end_matches('/'),
            "/w",
            "",
        ))),
        line: 1,
        column: 1,
        twin: Twin::None,
        by: super::spot::By::Unsaid,
    };
    let table = [
        // The site's own package, below the compiler's folder or in it.
        ("crates/app/", "crates/app/src/main.rs", "my-app/src/main.rs"),
        ("", "src/main.rs", "my-app/src/main.rs"),
        ("", "tests/a.rs", "my-app/tests/a.rs"),
        // Another member: its folder stands for its name.
        ("crates/app/", "crates/nn/src/linear.rs", "nn/src/linear.rs"),
        ("", "crates/nn/examples/a.rs", "nn/examples/a.rs"),
        // Cargo's folders of other people's packages.
        (
            "",
            "/home/somebody/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/candle-core-0.11.1/src/op.rs",
            "candle-core/src/op.rs",
        ),
        ("", "/home/somebody/.cargo/registry/src/index-1/a-b-2-0.1.0/src/x/src/op.rs", "a-b-2/src/x/src/op.rs"),
        (
            "",
            "/home/somebody/.cargo/git/checkouts/candle-0c2b4fa9e5801351/d8c9eef/candle-nn/src/ops.rs",
            "candle-nn/src/ops.rs",
        ),
        ("", "/rustc/59807616e1fa/library/core/src/ops/function.rs", "core/src/ops/function.rs"),
        // Nothing of an absolute path but its last part, where nothing is known of it.
        ("", "/home/somebody/secret/generated.rs", "generated.rs"),
        ("", "C:\\w\\app\\src\\main.rs", "app/src/main.rs"),
        ("crates/app/", "build.rs", "build.rs"),
    ];
    for (folder, path, expected) in table {
        assert_eq!(of_caller(path, &site(folder)), expected, "{path} from {folder:?}");
    }
}

#[test]
fn s4_4_texts_are_kept_once_whoever_brings_them() {
    static TEXTS: Texts = Texts::new();
    let kept = |number: usize| TEXTS.keep(format_args!("gemm {number}")).map(str::as_ptr);
    let threads: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..200).map(|n| kept(n).map(<*const u8>::addr)).collect())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first: &Vec<Option<usize>> = &threads[0];
    assert!(threads.iter().all(|other| other == first) && first.iter().all(Option::is_some));
    assert_eq!((200..10_000).filter(|&number| kept(number).is_some()).count(), 4096 - 200);
    assert!(kept(5).is_some() && kept(9_999).is_none());
}
