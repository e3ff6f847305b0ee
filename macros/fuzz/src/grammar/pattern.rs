//! Patterns.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn pattern(&mut self) {
        self.one_of(&[
            Self::name,
            |w| w.put_one(&["_", "mut b", "ref mut s", "ref x", "b", "NULL", "Größe", "-1", "'c'", "\"s\"", "a::B"]),
            |w| w.put_one(&["1..=3", "(..=5)", "(A..)", "b'0'..b'9'", "A..=-1"]),
            |w| w.within(("(", ")"), |w| w.some(3, ",", Self::pattern)),
            |w| {
                w.within(("[", "]"), |w| {
                    w.put_one(&["", "..,", "first @ .., 1,", "ref a,"]);
                    w.some(2, ",", Self::pattern);
                });
            },
            |w| {
                w.put_one(&["Some", "Ok", "a::B::<T>"]);
                w.within(("(", ")"), |w| w.some(2, ",", Self::pattern));
            },
            |w| {
                w.put("S { #[cfg(x)] a, ref b, r#type: _, c:");
                w.pattern();
                w.put_one(&[", .. }", "}"]);
            },
            |w| {
                w.put_one(&["&", "&mut", "whole @"]);
                w.within(("(", ")"), |w| {
                    w.pattern();
                    w.put("|");
                    w.pattern();
                });
            },
            |w| w.put_one(&["any!(b)", "<T as Tr>::N"]),
        ]);
    }
}
