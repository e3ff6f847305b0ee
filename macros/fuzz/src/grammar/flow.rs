//! Control flow.

use super::Writer;

impl Writer<'_, '_> {
    fn condition(&mut self) {
        match self.entropy.below(4) {
            0 => self.put_one(&["x", "true", "b.launch(cfg).is_ok()"]),
            1 => self.within(("(", ")"), Self::expr),
            _ => {
                self.put("let");
                self.pattern();
                self.put("=");
                self.launch();
                self.put_one(&["", "&& x", "&& let Some(b) = y && b.launch(cfg)"]);
            }
        }
    }

    pub(super) fn block_like(&mut self) {
        self.maybe(5, |w| w.put_one(&["'a:", "'outer:", "'größe:"]));
        let labelled = self.text.ends_with(':');
        match self.entropy.below(if labelled { 4 } else { 9 }) {
            0 => self.block(),
            1 => {
                self.put("loop");
                self.body();
            }
            2 => {
                self.put("while");
                self.condition();
                self.body();
            }
            3 => {
                self.put("for");
                self.pattern();
                self.within(("in (", ")"), Self::expr);
                self.body();
            }
            4 => {
                self.put("unsafe");
                self.block();
            }
            5 => {
                self.put_one(&["async", "async move", "const"]);
                self.block();
            }
            6 => self.chosen(),
            _ => {
                self.put("if");
                self.condition();
                self.block();
                if self.once_in(2) {
                    self.put("else");
                    self.maybe(3, |w| w.put("if let A | B = (b.launch(cfg)) {} else"));
                    self.block();
                }
            }
        }
    }

    fn chosen(&mut self) {
        self.put("match (");
        self.expr();
        self.put(") {");
        self.maybe(10, |w| w.put("#![allow(unused)]"));
        for _ in 0..self.entropy.below(4) {
            self.maybe(6, |w| w.put_one(&["#[cfg(x)]", "#[allow(unused)]", "|"]));
            self.pattern();
            if self.once_in(3) {
                self.put("if");
                self.condition();
            }
            self.put("=>");
            if self.once_in(2) {
                self.block();
                self.maybe(2, |w| w.put(","));
            } else {
                self.expr();
                self.put(",");
            }
        }
        self.put("}");
    }

    pub(super) fn jump(&mut self) {
        self.put("(");
        self.put_one(&["return", "break", "break 'a", "continue 'a", "return", "break"]);
        if !self.text.ends_with("continue 'a") {
            self.maybe(2, |w| w.within(("(", ")"), Self::expr));
        }
        self.put(")");
    }
}
