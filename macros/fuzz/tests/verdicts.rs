//! What is wrong with an expansion is found: each rule, broken by hand.

#![allow(clippy::unwrap_used, clippy::panic)] // a test ends where it fails

use launchsite_macros_fuzz::{Fault, Input, Kind, Outcome, expanded, verdict};

const ITEM: &str = "fn f(b: B, s: S) -> R { #[cfg(x)] b.launch(cfg)?; run(|c| (s.launch_builder(k)).launch(c)); \
                    assert!(launch_kernel(k, g, d, 0, q, p).is_ok(), w); Ok(()) }";

fn input(item: &str) -> Input {
    Input { args: "".parse().unwrap(), item: item.parse().unwrap() }
}

/// The verdict on the expansion of `item` with `from`, which has to be in it, made `to`: both as tokens print themselves.
fn tampered(item: &str, from: &str, to: &str) -> Result<Outcome, Fault> {
    tampered_input(&input(item), from, to)
}

fn tampered_input(input: &Input, from: &str, to: &str) -> Result<Outcome, Fault> {
    let text = expanded(input).unwrap().to_string();
    assert!(text.contains(from), "no `{from}` in {text}");
    // The first version stands before the second, and is for a test of its own.
    let at = text.rfind(from).unwrap();
    let text = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
    verdict(input, &text.parse().unwrap())
}

fn kind(from: &str, to: &str) -> Option<Kind> {
    tampered(ITEM, from, to).err().map(|fault| fault.kind)
}

#[test]
fn an_expansion_is_as_it_should_be() {
    assert_eq!(tampered(ITEM, "Ok", "Ok").unwrap(), Outcome::Hooked(3));
}

#[test]
fn a_token_that_is_another_is_found() {
    for (from, to) in [
        ("Ok (())", "Ok ()"),
        ("Ok (())", "Ok (()) ;"),
        ("Ok (())", "{ Ok (()) }"),
        ("launchsite_0 , cfg)", "launchsite_0 , cfg2)"),
        ("s : S) -> R", "s : S)"),
        // Its text would be shown.
        (", w)", ")"),
        (", w)", ", w2)"),
        (". launch (:: launchsite", ". launch_cooperative (:: launchsite"),
        (
            "recv (& mut launchsite_1 , s . launch_builder (k))",
            "recv (& mut launchsite_1 , { s . launch_builder (k) })",
        ),
    ] {
        assert_eq!(kind(from, to), Some(Kind::Changed), "{from} made {to}");
    }
}

#[test]
fn the_first_version_is_the_function_to_the_token() {
    let fault = tampered(ITEM, "b . launch (cfg) ?;", "b . launch (cfg) ;").unwrap_err();
    assert_eq!(fault.kind, Kind::Changed);
    assert!(fault.told.contains("first version"), "{fault}");
}

#[test]
fn a_hook_that_is_not_known_is_named() {
    let fault =
        tampered(ITEM, "__private :: arg (& mut launchsite_1", "__private :: wrap (& mut launchsite_1").unwrap_err();
    assert_eq!(fault.kind, Kind::Hook);
    assert_eq!(fault.told, "`__private::wrap` is not in the table of check/hooks.rs");
}

#[test]
fn a_hook_of_another_form_is_found() {
    for (from, to) in [
        // Another launch's state.
        ("last (& mut launchsite_2", "last (& mut launchsite_0"),
        ("launchsite_2)", "launchsite_0)"),
        ("recv (& mut launchsite_1 , s", "recv (s"),
        ("Part :: Grid ,", ""),
        (", & mut launchsite_2)", ")"),
        // A look that evaluates something.
        ("see ! (launchsite_0 , & raw const b)", "see ! (launchsite_0 , & raw const b ())"),
        ("{ :: launchsite :: __private :: see ! (launchsite_0 , & raw const b) ; }", "b"),
        ("Ok (())", ":: launchsite :: __private :: start (& mut launchsite_0)"),
    ] {
        assert_eq!(kind(from, to), Some(Kind::Hook), "{from} made {to}");
    }
}

#[test]
fn a_variable_that_is_not_where_its_launch_is_is_found() {
    let slot = "let mut launchsite_slot_1 = :: launchsite :: __private :: Slot :: new () ;";
    let state = "let mut launchsite_1 = :: launchsite :: __private :: Call :: new (& mut launchsite_slot_1) ;";
    let declared: &str = &format!("{slot} {state}");
    let condition = "# [cfg (x)] let mut launchsite_0";
    for (from, to) in [
        (declared, ""),
        (slot, ""),
        (state, ""),
        (declared, &format!("{state} {slot}")),
        (declared, &format!("{declared} {declared}")),
        // Under another condition than its statement, or under none.
        (condition, "let mut launchsite_0"),
        (condition, "# [cfg (y)] let mut launchsite_0"),
        ("# [cfg (x)] let mut launchsite_slot_0", "let mut launchsite_slot_0"),
        ("& LAUNCHSITE_PLACES , 1usize", "& [] , 0"),
        (
            "3usize] = [(:: launchsite :: __private :: line ! () , :: launchsite :: __private :: column ! ()) ,",
            "3usize] = [",
        ),
    ] {
        assert_eq!(kind(from, to), Some(Kind::Standing), "{from} made {to}");
    }
    // In front of the closure, which would capture it.
    let (inside, outside) = (format!("run (| c | {{ {declared}"), format!("{declared} run (| c | {{"));
    assert_eq!(kind(&inside, &outside), Some(Kind::Standing));
}

#[test]
fn a_closures_expression_is_parenthesised_where_it_begins_alone() {
    let item = "fn f(b: B) { run(|c| if b.launch(c) { 1 } else { 2 } + 3) }";
    let with = "(if";
    assert_eq!(tampered(item, with, with).unwrap(), Outcome::Hooked(1));
    assert_eq!(tampered(item, "+ 3", "+ (3)").unwrap_err().kind, Kind::Changed);
    let conditional = "fn f(b: B) { run(|c| #[cfg(x)] b.launch(c)) }";
    assert_eq!(tampered(conditional, "b", "b").unwrap(), Outcome::Hooked(1));
    assert_eq!(
        tampered(conditional, "# [cfg (x)] let mut launchsite_0", "let mut launchsite_0").unwrap_err().kind,
        Kind::Standing
    );
}

#[test]
fn a_closure_in_front_of_an_else_is_parenthesised() {
    let item = "fn f(b: B) { let Some(g) = || b.launch(cfg) else { return }; }";
    assert_eq!(tampered(item, "else", "else").unwrap(), Outcome::Hooked(1));
    assert_eq!(tampered(item, "else", "() else").unwrap_err().kind, Kind::Changed);
}

#[test]
fn a_module_of_another_crates_may_have_the_name_of_ours() {
    let item = "fn f(b: other::__private::B) { b.launch(cfg); }";
    assert_eq!(tampered(item, "b", "b").unwrap(), Outcome::Hooked(1));
    assert_eq!(tampered(item, "other", "launchsite").unwrap_err().kind, Kind::Standing);
}

const TOLD: &str = "fn f(g: G, m: u32, s: S) { use x::y; g.launch(); run(move || h(m).launch()); s.end_capture(flags); \
                    launch!(m.k<<<a, b, c, s>>>(x)); run(|b: B| b.launch(cfg)) }";

fn told() -> Input {
    Input { args: r#"stream = a + b, caller, scope, name = "g {m}""#.parse().unwrap(), ..input(TOLD) }
}

#[test]
fn what_a_function_is_told_is_noted_as_the_arguments_say() {
    assert_eq!(tampered_input(&told(), "use", "use").unwrap(), Outcome::Hooked(4));
    let none = ":: launchsite :: __private :: Entry :: NONE";
    for (from, to, kind) in [
        ("# [track_caller]", "", Kind::Changed),
        ("let _launchsite_entered", "let _scope", Kind::Hook),
        (". called_at (:: core :: panic :: Location :: caller ())", "", Kind::Hook),
        ("stream_of (& (a + b))", "stream_of (& a + b)", Kind::Hook),
        ("format_args ! (\"g {m}\")", "format_args ! (\"g\")", Kind::Hook),
        ("Kind :: Scope", "Kind :: Kernel", Kind::Hook),
        // In front of something that is no item.
        ("use x :: y ; let mut launchsite_entry", "x :: y ; let mut launchsite_entry", Kind::Standing),
        // Not told where it could be, and told where that captures it.
        ("& launchsite_entry , launch !", &format!("& {none} , launch !"), Kind::Standing),
        ("run (move |", "run (|", Kind::Standing),
    ] {
        assert_eq!(tampered_input(&told(), from, to).err().map(|fault| fault.kind), Some(kind), "{from} made {to}");
    }
}

#[test]
fn a_hook_around_another_kind_of_launch_is_looked_at() {
    for (from, to, kind) in [
        ("see_capture ! (& raw const s)", "see_capture ! (& raw const s ())", Kind::Hook),
        ("see_graph ! (launchsite_1 , & raw const g", "see_graph ! (launchsite_2 , & raw const g", Kind::Hook),
        ("recv_graph (& mut launchsite_2 , h (m)", "recv_graph (& mut launchsite_1 , h ()", Kind::Standing),
        ("recv_graph (& mut launchsite_2 , h (m)", "recv_graph (& mut launchsite_2 , h2 ()", Kind::Changed),
        ("Kind :: Graph", "Kind :: Kernel", Kind::Hook),
        ("launchsite_3 , \"k\"", "launchsite_3 , \"m\"", Kind::Hook),
        ("launch ! (m . k <<< a", "launch ! (m . k <<< b", Kind::Changed),
    ] {
        assert_eq!(tampered_input(&told(), from, to).err().map(|fault| fault.kind), Some(kind), "{from} made {to}");
    }
}

#[test]
fn a_hook_in_the_tokens_of_a_macro_that_is_not_known_is_found() {
    for (known, other) in [("assert_eq ! (", "my :: assert_eq ! ("), ("assert_eq ! (", "own ! (")] {
        let item = "fn f(b: B) { assert_eq!(b.launch(cfg), Ok(())) }";
        assert_eq!(tampered(item, known, known).unwrap(), Outcome::Hooked(1));
        assert_eq!(tampered(item, known, other).unwrap_err().kind, Kind::Standing);
    }
}

#[test]
fn a_hook_in_what_is_not_run_is_found() {
    let hooked = expanded(&input("fn f() { b.launch(cfg) }")).unwrap().to_string();
    for (item, from, to) in [
        ("fn f() { const { b.launch(cfg) } }", "{ let mut", "{ const { let mut"),
        ("fn f() { x as [u8; { b.launch(cfg) }] }", "{ let mut", "{ x as [u8 ; { let mut"),
    ] {
        let close = if to.contains('[') { "}] } } }" } else { "} } } }" };
        let first = format!("{{ {} }}", item.parse::<proc_macro2::TokenStream>().unwrap());
        let (_, second) = hooked.split_once("} {").unwrap();
        let second = second.replacen(from, to, 1);
        let text = format!(":: launchsite :: __pick ! {{ {first} {{ {}{close}", second.strip_suffix("} } }").unwrap());
        let fault = verdict(&input(item), &text.parse().unwrap()).unwrap_err();
        assert_eq!(fault.kind, Kind::Standing, "{fault}: {text}");
    }
}

#[test]
fn an_error_is_in_front_of_the_whole_item() {
    let of = |output: &str| verdict(&input("struct S { x: u8 }"), &output.parse().unwrap());
    assert_eq!(of("::core::compile_error! { \"no\" } struct S { x: u8 }").unwrap(), Outcome::Refused);
    assert_eq!(of("::core::compile_error! { \"no\" } struct S { }").unwrap_err().kind, Kind::Changed);
    assert_eq!(of("::core::compile_error! { \"no\" }").unwrap_err().kind, Kind::Changed);
    assert_eq!(of("struct S { x: u8 }").unwrap_err().kind, Kind::Accepted);
    assert_eq!(of("struct S { x }").unwrap_err().kind, Kind::Unparsable);
}

#[test]
fn a_block_gets_attributes_on_methods_that_launch() {
    let item = "impl T { fn f(&self) { self.b.launch(cfg) } fn g() { } }";
    let given = "# [:: launchsite :: gpu_kernel]";
    assert_eq!(tampered(item, given, given).unwrap(), Outcome::Block(1));
    assert_eq!(tampered(item, "fn g", &format!("{given} fn g")).unwrap_err().kind, Kind::Accepted);
    assert_eq!(tampered(item, "fn g", "fn h").unwrap_err().kind, Kind::Changed);
    assert_eq!(tampered(item, given, "# [inline]").unwrap_err().kind, Kind::Changed);
}
