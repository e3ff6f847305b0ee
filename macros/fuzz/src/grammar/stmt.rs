//! Blocks and statements.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn block(&mut self) {
        self.within(("{", "}"), Self::statements);
    }

    /// The block of a function or a loop, which may begin with attributes.
    pub(super) fn body(&mut self) {
        self.within(("{", "}"), |w| {
            w.maybe(12, |w| w.put("#![allow(unused)]"));
            w.statements();
        });
    }

    fn statements(&mut self) {
        let most = if self.depth > 3 { 4 } else { 3 };
        for _ in 0..self.entropy.below(most) {
            self.statement();
        }
        self.maybe(2, Self::expr);
    }

    fn statement(&mut self) {
        self.maybe(8, |w| {
            w.put_one(&[
                "#[cfg(feature = \"probe\")]",
                "#[allow(unused)]",
                "#[cfg(a)] #[cfg(b)]",
                "#[cfg_attr(a, cfg(b), inline, cfg_attr(c, cfg(d)))]",
            ]);
        });
        self.one_of(&[
            |w| w.put_one(&["b.launch(cfg);", "let b = s.launch_builder(f);", "unsafe { b.launch(cfg) }?;"]),
            Self::binding,
            Self::binding,
            Self::let_else,
            |w| {
                w.expr();
                w.put(";");
            },
            |w| {
                w.launch();
                w.put_one(&[";", "?;", ".unwrap();"]);
            },
            |w| {
                w.place();
                w.put_one(&["=", "+=", "<<="]);
                w.expr();
                w.put(";");
            },
            Self::block_like,
            Self::macro_statement,
            |w| {
                if w.once_in(2) {
                    w.function();
                } else {
                    w.other_item();
                }
            },
        ]);
    }

    fn binding(&mut self) {
        self.put("let");
        self.pattern();
        if self.once_in(3) {
            self.put(":");
            self.one_type();
        }
        if !self.once_in(6) {
            self.put("=");
            self.expr();
        }
        self.put(";");
    }

    fn let_else(&mut self) {
        self.put("let");
        self.pattern();
        self.put("=");
        self.within(("(", ")"), Self::expr);
        self.put("else");
        self.block();
        self.put(";");
    }

    fn macro_statement(&mut self) {
        self.macro_call();
        if !self.text.ends_with('}') {
            self.put(";");
        }
    }
}
