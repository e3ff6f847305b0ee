//! Expressions that are deeper than a stack: they are left as they are, and all that are not are parsed.

use proc_macro2::TokenStream;

use super::origin;
use crate::driver;

/// An expression of so many levels.
type Levels = fn(usize) -> String;

const KINDS: [(&str, Levels); 6] = [
    ("a chain", |n| format!("b{}", ".arg(1)".repeat(n))),
    ("operators", |n| format!("1{}", " + n".repeat(n))),
    ("blocks", |n| format!("{}1{}", "{".repeat(n), "}".repeat(n))),
    ("closures", |n| format!("{}1{}", "(|| ".repeat(n), ")()".repeat(n))),
    ("an else in an else", |n| format!("{}{{}}", "if n {} else ".repeat(n))),
    ("calls of what is called", |n| format!("f{}", "(1)".repeat(n))),
];

fn expanded(args: &str, expression: &str) -> (String, String) {
    let item: TokenStream = format!("fn f(b: B) {{ b.launch(cfg); {expression} }}").parse().unwrap();
    (driver(args.parse().unwrap(), &item, origin()).to_string(), item.to_string())
}

/// On as much stack as the compiler's own thread has.
fn on_a_compilers_stack(test: fn()) {
    std::thread::Builder::new().stack_size(8 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn what_is_deeper_than_the_stack_stays_as_it_is() {
    on_a_compilers_stack(|| {
        for (kind, of) in KINDS {
            let (text, item) = expanded("scope", &of(5000));
            assert_eq!(text, item, "{kind}");
        }
        assert!(expanded("scoop", &KINDS[0].1(5000)).0.contains("unknown argument `scoop`"));
    });
}

#[test]
fn the_deepest_that_is_parsed_fits_on_the_stack() {
    on_a_compilers_stack(|| {
        for (kind, of) in KINDS {
            let hooked = |n: &usize| expanded("", &of(*n)).0.contains("done (");
            let deepest = (1..20).map(|hundreds| hundreds * 100).take_while(hooked).last();
            assert!(deepest.is_some(), "{kind}");
        }
    });
}

#[test]
fn many_statements_are_not_deep() {
    on_a_compilers_stack(|| {
        for statements in ["if a == b { c(d); }\n", "let x = y.z(a)?;\n", "for a in 0..b { c[d](e); } #[x] { f }\n"] {
            assert!(expanded("", &statements.repeat(3000)).0.contains("done ("), "{statements}");
        }
        let arms = "A(x) => { y.z() } 1 => { 2 } B => c(), ".repeat(2000);
        assert!(expanded("", &format!("match a {{ {arms} }}")).0.contains("done ("));
    });
}
