//! Expressions.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn expr(&mut self) {
        self.one_of(&[
            |w| {
                w.put_one(&[
                    "x", "0", "b", "cfg", "\"text\"", "1.5e3f32", "'c'", "b\"b\"", "c\"c\"", "0x_ffu8", "a::b::C",
                    "()", "true",
                ]);
            },
            Self::launch,
            Self::launch,
            Self::launch,
            Self::suffixed,
            Self::suffixed,
            Self::operation,
            Self::collection,
            Self::closure,
            Self::block_like,
            Self::block_like,
            Self::macro_call,
            Self::jump,
            |w| w.within(("(", ")"), Self::attributed),
        ]);
    }

    fn attributed(&mut self) {
        self.maybe(6, |w| w.put_one(&["#[allow(unused)]", "#[cfg(x)]", "/** doc */"]));
        self.expr();
    }

    fn suffixed(&mut self) {
        self.one_of(&[Self::name, |w| w.within(("(", ")"), Self::expr), Self::launch]);
        match self.entropy.below(8) {
            0 => self.put("?"),
            1 => self.put(".await"),
            2 => self.within((".map(", ")"), Self::expr),
            3 => self.within((".collect::<Vec<_>, A>(", ")"), |w| w.some(2, ",", Self::attributed)),
            4 => self.within(("[", "]"), Self::expr),
            5 => self.within(("(", ")"), |w| w.some(3, ",", Self::attributed)),
            6 => {
                self.put("as");
                self.put_one(&["u32", "*const T", "[u8; { b.launch(cfg) }]", "_", "A<{ b.launch(cfg) }>"]);
            }
            _ => self.put_one(&[".0.1", ".field", "?.0", ".await?"]),
        }
    }

    fn operation(&mut self) {
        match self.entropy.below(4) {
            0 => {
                self.put_one(&["-", "!", "*", "&", "&mut", "&raw const", "&&", "&raw mut"]);
                self.within(("(", ")"), Self::expr);
            }
            1 => {
                self.within(("(", ")"), Self::expr);
                self.put_one(&["+", "&&", "||", "==", "<", ">>", "..", "..=", "=", "|=", "&", "%"]);
                self.within(("(", ")"), Self::expr);
            }
            2 => {
                self.block_like();
                self.put_one(&["+ 1", ".is_ok()", "== x", "as u8", "?", "& 3", "[0]", "(1)", ".await"]);
            }
            _ => {
                self.launch();
                self.put_one(&["+", "&&", "==", "|", "-", "!="]);
                self.launch();
            }
        }
    }

    fn collection(&mut self) {
        match self.entropy.below(6) {
            0 => self.within(("(", ")"), |w| w.some(3, ",", Self::attributed)),
            1 => self.within(("[", "]"), |w| w.some(3, ",", Self::attributed)),
            2 => {
                self.within(("[", ";"), Self::expr);
                self.put_one(&["3]", "N]", "b.launch(cfg)]", "{ b.launch(cfg) }]"]);
            }
            3 => {
                self.within(("(S { #[cfg(x)] a:", ", b"), Self::expr);
                self.put_one(&["})", ", })", ", ..base })", ", ..b.launch(cfg) })"]);
            }
            4 => self.within(("const {", "}"), Self::expr),
            _ => self.within(("f::<{ b.launch(cfg) }, T>(", ")"), |w| w.some(3, ",", Self::expr)),
        }
    }

    fn closure(&mut self) {
        self.put_one(&["", "", "move", "async move", "async", "for<'x> move"]);
        match self.entropy.below(5) {
            0 => {
                self.within(("|", "|"), |w| w.some(2, ",", Self::closure_input));
                self.put_one(&["-> u8", "-> Result<(), E>"]);
                self.block();
            }
            1 => {
                self.put("||");
                self.block();
            }
            2 => {
                self.put("||");
                self.expr();
            }
            3 => self.called(),
            _ => {
                self.within(("|", "|"), |w| w.some(3, ",", Self::closure_input));
                self.expr();
            }
        }
    }

    /// A closure in front of another, which is called where it stands.
    fn called(&mut self) {
        self.put("||");
        self.within(("(", ")"), |w| {
            w.put_one(&[
                "||",
                "move ||",
                "async ||",
                "async move ||",
                "|b| ",
                "|| move ||",
                "(|| b.launch(cfg))() + ||",
            ]);
            w.expr();
        });
        self.put_one(&["()", "(b)", ".await"]);
    }

    fn closure_input(&mut self) {
        self.put_one(&[
            "b",
            "_",
            "mut b: B",
            "(a, b)",
            "&x",
            "#[cfg(x)] c: &mut T",
            "x: [u8; { b.launch(cfg) }]",
            "S { b, .. }",
        ]);
    }

    pub(super) fn macro_call(&mut self) {
        self.put_one(&[
            "assert!",
            "assert!",
            "debug_assert!",
            "assert_eq!",
            "vec!",
            "format!",
            "println!",
            "matches!",
            "panic!",
            "own!",
            "std::assert!",
            "dbg!",
            "write!",
            "r#vec!",
            "my::launch!",
            "my::assert!",
            "core::matches!",
            "ensure!",
            "anyhow::ensure!",
            "tokio::try_join!",
            "join!",
            "info!",
            "tracing::warn!",
            "bail!",
            "assert_matches!",
        ]);
        let delimiters = self.entropy.pick(&[("(", ")"), ("[", "]"), ("{", "}")]).copied().unwrap_or(("(", ")"));
        self.within(delimiters, |w| match w.entropy.below(8) {
            0 => w.put_one(&[
                "b.launch(cfg)",
                "b.launch(cfg).is_ok(),",
                "f::<A, B>(b.launch(cfg))",
                "b.launch(cfg); 3",
                "x == 3",
            ]),
            1 => w.put_one(&[
                "\"{}\", b.launch(cfg)",
                "\"{x}\", x = b.launch(cfg)",
                "b.launch(cfg), Ok(_) | Err(..)",
                "a => b",
                "$x",
            ]),
            2 => w.put_one(&[
                "b.launch(cfg), Ok(x) if b.launch(y)",
                "b.launch(cfg) is bad",
                "",
                ",",
                "b.launch(cfg), \"why {}\", 1",
            ]),
            _ => w.some(3, ",", Self::expr),
        });
    }
}
