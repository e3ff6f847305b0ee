//! What is renamed, what is left out and what is refused, on real and on random texts.

use super::token::{Kind, tokens};
use super::{Copy, Reason};

const QUICKSTART: &str = include_str!("../../../examples/kernels/quickstart.ptx");
const HEAD: &str = ".version 8.1\n.target sm_60\n.address_size 64\n";

fn module(rest: &str) -> String {
    format!("{HEAD}{rest}")
}

fn named(text: &str, from: &str, to: &str) -> Result<String, Reason> {
    Copy::of(text, from).map(|copy| copy.named(text, to).unwrap())
}

#[test]
fn a_kernel_is_renamed_where_its_name_stands_and_nowhere_else() {
    let table = [
        ".visible .entry K(\n\t.param .u64 K_param_0\n)\n{\n\tld.param.u64 %rd1, [K_param_0];\n\tret;\n}",
        ".weak .entry K()\n{ ret; }",
        ".entry K { ret; }",
        ".visible .entry K(.param .u32 n) .maxntid 128, 1, 1 .minnctapersm 2\n{ ret; }",
        ".visible .entry K() .reqntid 32 .pragma_free\n{ ret; }",
        ".visible .entry\n\n  K/* K */(/*.entry K*/) // K\n{ ret; }",
        "// .entry K() { K }\n/* .visible .entry K(); */ .visible .entry K() { ret; }",
        ".pragma \".entry K\";\n.visible .entry K() { .pragma \"K;}\"; ret; }",
        ".visible .entry K();\n.visible .entry K() { ret; }",
        ".file 1 \"K.cu\", 1, 2\n.visible .entry K() {\n.loc 1 2 3\nret;\n.loc 1 3 4, function_name $L_K, inlined_at 1 2 3\nret; }",
        ".visible .entry K() {\n@%p1 bra $L_K;\n@!%p2 bra.uni $L__2;\n$L_K:\n{ .reg .b32 t; { mov.b64 %rd1, {%r1, %r2}; } }\n$L__2: ret;\n}",
        ".visible .entry K() { ret; }\n.section .debug_str { K_string: .b8 75,0 }",
        ".extern .shared .align 16 .b8 s[];\n.visible .entry K() { mov.u32 %r1, s; ret; }",
        ".shared .align 4 .f32 tile[32];\n.visible .entry K() { mov.u32 %r1, tile; ret; }",
    ];
    for template in table {
        for name in ["K", "$x", "_Z1fPf", "%odd", "saxpy$1"] {
            // `K` by itself only: what merely contains it is another word, comment or text.
            let own = |text: &str| {
                let mut made = String::new();
                for part in text.split(".entry").enumerate() {
                    let (at, part) = part;
                    let is_code = part.trim_start().starts_with('K') && at > 0;
                    made.push_str(if at > 0 { ".entry" } else { "" });
                    made.push_str(&if is_code { part.replacen('K', name, 1) } else { part.to_owned() });
                }
                made
            };
            let text = module(&own(template));
            let copy = Copy::of(&text, name).unwrap_or_else(|why| panic!("{why}: {text}"));
            let renamed = copy.named(&text, "ops_saxpy__L1").unwrap();
            let code = |text: &str| -> Vec<String> {
                tokens(text).unwrap().iter().map(|token| token.text.to_owned()).collect()
            };
            let (before, after) = (code(&text), code(&renamed));
            assert_eq!(before.len(), after.len(), "{text}");
            for (before, after) in before.iter().zip(&after) {
                let expected = if before == name { "ops_saxpy__L1" } else { before };
                assert_eq!(after, expected, "{renamed}");
            }
            assert!(Copy::of(&renamed, name).is_err(), "{renamed}");
            assert_eq!(named(&renamed, "ops_saxpy__L1", name).unwrap(), text, "and back");
        }
    }
}

#[test]
fn a_kernel_may_have_the_name_of_an_instruction() {
    let body = "{ .reg .u32 %r<3>; add.u32 %r1, %r1, %r2; @%p1 add.u32 %r1, %r1, 1; done: add.u32 %r1, %r1, 2; ret; }";
    let text = module(&format!(".visible .entry add() {body}"));
    assert_eq!(named(&text, "add", "sum").unwrap(), module(&format!(".visible .entry sum() {body}")));
}

#[test]
fn what_the_kernel_does_not_reach_is_left_out() {
    let text = module(
        ".global .u32 counter;\n.func (.param .b32 r) twice(.param .b32 x) { call (r), inner, (x); ret; }\n\
         .func (.param .b32 r) inner(.param .b32 x) { ret; }\n.func other() { ret; }\n\
         .visible .entry a() { call (r), twice, (x); ret; }\n.visible .entry b() { call other; red.global.add.u32 [counter], 1; ret; }\n",
    );
    let copy = named(&text, "a", "a_1").unwrap();
    for kept in [HEAD, "twice(.param", "inner(.param", ".entry a_1()"] {
        assert!(copy.contains(kept), "{kept}: {copy}");
    }
    for omitted in ["counter", "other", ".entry b"] {
        assert!(!copy.contains(omitted), "{omitted}: {copy}");
    }
    assert_eq!(Copy::of(&text, "b"), Err(Reason::Variable("counter".into())));
}

#[test]
fn what_a_copy_would_have_of_its_own_is_refused() {
    let kernel = ".visible .entry k() { ld.u32 %r1, [v]; ret; }";
    for variable in [
        ".global .align 4 .u32 v;",
        ".visible .global .align 4 .u32 v = 1;",
        ".const .align 4 .f32 v[2] = {0f3F800000, 0f3F800000};",
        ".visible .const .align 4 .b8 v[64];",
        ".weak .global .u32 v;",
        ".common .global .u32 v;",
        ".global .attribute(.managed) .align 4 .u32 v;",
        ".global .texref v;",
        ".global .surfref v;",
        ".tex .u32 v;",
        ".global .u32 first, v, last;",
        ".global .u64 table[2] = {v, k2};\n.global .u32 v;",
    ] {
        let text = module(&format!("{variable}\n{kernel}"));
        assert_eq!(Copy::of(&text, "k"), Err(Reason::Variable(first_of(variable))), "{text}");
        // And where only a function that it calls reaches it.
        let text = module(&format!("{variable}\n.func f() {{ ld.u32 %r1, [v]; ret; }} .entry k() {{ call f; ret; }}"));
        assert!(matches!(Copy::of(&text, "k"), Err(Reason::Variable(_))), "{text}");
        // One that nothing reads or writes does not matter, and neither does another module's.
        let text = module(&format!("{variable}\n.entry k() {{ ret; }}"));
        assert!(Copy::of(&text, "k").is_ok(), "{text}");
        if !variable.contains(".weak") && !variable.contains(".common") {
            let foreign = variable
                .replace(".visible ", "")
                .replace(".global", ".extern .global")
                .replace(".const", ".extern .const");
            if !foreign.contains(".tex .") {
                let text = module(&format!("{foreign}\n{kernel}"));
                assert!(Copy::of(&text, "k").is_ok(), "{text}");
            }
        }
    }
    let text = module(".entry k() { .global .u32 hidden; ret; }");
    assert_eq!(Copy::of(&text, "k"), Err(Reason::Variable(".global".into())));
}

/// The variable that is named: that of the first declaration.
fn first_of(variable: &str) -> String {
    let declared = variable.rsplit('\n').next().unwrap();
    if declared.contains("first") { "first".into() } else { "v".into() }
}

#[test]
fn a_kernel_that_the_module_speaks_of_is_refused() {
    for mention in [
        ".entry other() { mov.u64 %rd1, k; ret; }",
        ".entry other() { call (r), cudaLaunchDevice, (k, p); ret; }",
        ".func f() { targets: .calltargets k, g; ret; }",
        ".global .u64 table[2] = {k, 0};",
        ".global .u64 table[2] = {0, k};",
        ".alias alias_of_k, k;",
        ".func k() { ret; }",
        ".shared .u32 k;",
        ".entry other() { .reg .u32 k; ret; }",
        ".entry other() { k: bra k; }",
        ".entry other() { mov.b64 %rd1, {k, %r1}; ret; }",
        ".entry other(.param .u32 k) { ret; }",
    ] {
        for text in [format!("{mention}\n.entry k() {{ ret; }}"), format!(".entry k() {{ ret; }}\n{mention}")] {
            assert_eq!(Copy::of(&module(&text), "k"), Err(Reason::Mentioned), "{text}");
        }
    }
    // Itself, too.
    let text = module(".entry k() { mov.u64 %rd1, k; ret; }");
    assert_eq!(Copy::of(&text, "k"), Err(Reason::Mentioned));
}

#[test]
fn debug_sections_keep_the_kernels_that_they_speak_of() {
    let text = module(
        ".entry a() { $L_begin_a: ret; $L_end_a: }\n.entry b() { $L_begin_b: ret; }\n.entry c() { $L_c: ret; }\n\
         .section .debug_info\n{\n.b64 $L_begin_a\n.b64 $L_begin_b\n.b64 a\n.b8 97\n.b32 .debug_abbrev\n}\n",
    );
    let copy = named(&text, "a", "z").unwrap();
    assert!(copy.contains(".entry b()") && !copy.contains(".entry c()"), "{copy}");
    assert!(copy.contains(".b64 z\n") && copy.contains(".b8 97\n"), "{copy}");
}

#[test]
fn what_is_not_understood_is_refused() {
    for text in [
        "",
        "not PTX",
        "\u{7f}ELF\u{1}",
        ".entry k() { ret;",
        ".entry k() } ret;",
        ".entry k( { ret; }",
        ".entry () { ret; }",
        ".entry",
        "#define K k\n.entry k() { ret; }",
        "/* .entry k() { ret; }",
        ".pragma \"k; .entry k() { ret; }",
        ".unheard_of k;\n.entry k() { ret; }",
        ".entry k() { ret; }\nloose words",
        ".entry ö() { ret; }",
        ".visible",
        ".global .u32",
    ] {
        let refused = Copy::of(text, "k");
        assert!(matches!(refused, Err(Reason::Syntax(_) | Reason::Missing)), "{text}: {refused:?}");
    }
    assert_eq!(Copy::of(&module(".entry k() { ret; }"), "K"), Err(Reason::Missing));
}

#[test]
fn a_name_that_is_in_use_is_not_given() {
    let text = module(".entry k() { call f; l: ret; } .func f() { ret; } .entry other() { ret; }");
    let copy = Copy::of(&text, "k").unwrap();
    for taken in ["k", "f", "l", "other"] {
        assert_eq!(copy.named(&text, taken), None, "{taken}");
    }
    assert!(copy.named(&text, "g").is_some());
}

#[test]
fn the_quickstarts_kernels_can_all_be_renamed() {
    let kernels = ["saxpy_f32", "scale_f32", "scale_f64", "map_kernel", "sum_f32", "softmax_f32", "spin", "empty"];
    for kernel in kernels {
        let copy = named(QUICKSTART, kernel, "site").unwrap();
        assert!(copy.contains(".visible .entry site("), "{copy}");
        assert_eq!(copy.matches(".entry").count(), 1, "{copy}");
        assert_eq!(
            named(&copy, "site", kernel).unwrap(),
            named(QUICKSTART, kernel, "x").unwrap().replace(".entry x(", &format!(".entry {kernel}("))
        );
        // The compiler's own constants, which no kernel reads.
        assert!(!copy.contains("all_hosts"), "{copy}");
    }
}

/// A generator of numbers by Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

/// Texts made of pieces in any order, most of them wrong: none panics, and of those that are taken, a copy and the way
/// back give what was there, but for what was left out.
#[test]
fn random_texts_are_renamed_and_back_or_refused() {
    const PIECES: &[&str] = &[
        ".visible .entry k(",
        ".entry k() {",
        ".entry other(.param .u32 n)",
        ".func f(",
        ") {",
        "}",
        "{",
        "(",
        ")",
        ";",
        "ret;",
        "add.s32 %r1, %r2, 3;",
        "call f, (x);",
        ".global .u32 g;",
        ".const .u32 c = 1;",
        "k",
        "k:",
        "@%p1 ",
        "@!%p ",
        "// k\n",
        "/* k */",
        "\"k\"",
        ".pragma \"k\";",
        ".loc 1 2 3\n",
        ".file 1 \"k\"\n",
        ".section .debug_info {",
        ".b64 k",
        ",",
        "=",
        "{1, k}",
        ".alias a, k;",
        "ld.u32 %r1, [g];",
        "\n",
        " ",
        "$L: ",
        "%k",
        "_k",
        "$k",
        ".k",
        "k.k",
        "1.5",
        "0f00",
        "ü",
        "\0",
        "/*",
        "\"",
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut taken = 0;
    for _ in 0..40_000 {
        let mut text = module("");
        if random.below(2) == 0 {
            text.push_str(".visible .entry k() { ret; }\n");
        }
        for _ in 0..random.below(9) {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        let Ok(copy) = Copy::of(&text, "k") else { continue };
        let Some(renamed) = copy.named(&text, "site_1") else { continue };
        taken += 1;
        // Cut, and with its own name: that is what the way back has to give.
        let back = named(&renamed, "site_1", "k").unwrap_or_else(|why| panic!("{why}\n{text}\n=>\n{renamed}"));
        let again = named(&back, "k", "site_1").unwrap();
        assert_eq!(again, renamed, "{text}");
        let words = |text: &str| -> Vec<String> {
            let tokens = tokens(text).unwrap();
            assert!(tokens.iter().all(|token| token.kind != Kind::Name || !token.text.is_empty()));
            tokens.iter().map(|token| token.text.to_owned()).collect()
        };
        let (own, renamed) = (words(&back), words(&renamed));
        assert_eq!(own.len(), renamed.len());
        for (own, renamed) in own.iter().zip(&renamed) {
            assert!(own == renamed || (own == "k" && renamed == "site_1"), "{own} became {renamed}: {text}");
        }
    }
    assert!(taken > 2_000, "only {taken} of the texts were any good");
}
