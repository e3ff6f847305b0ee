//! The attribute's arguments.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn args(&mut self) {
        // Most of the time right, or what stands below would never be looked at.
        match self.entropy.below(10) {
            0..=3 => {}
            4 => self.put_one(&["name = \"gemm\"", "crate = my::own", "crate = crate", "crate = ::launchsite,"]),
            5 => self.put_one(&["name = \"a b\", crate = x", "crate = self::r#as, name = r#\"raw\"#,"]),
            6..=8 => self.entered(),
            _ => self.some(4, ",", Self::arg),
        }
    }

    /// What a function is entered with, in every combination.
    fn entered(&mut self) {
        const ALL: [fn(&mut Writer<'_, '_>); 8] = [
            |w| w.put_one(&["scope"]),
            |w| w.put_one(&["caller", "internal"]),
            |w| w.put_one(&["stack", "fields(a, layer = b + 1)"]),
            |w| w.put_one(&["flops = 2 * a", "flops = if x { a } else { b }"]),
            |w| w.put_one(&["bytes = a + b", "bytes = x as u64"]),
            |w| {
                w.put("stream =");
                w.put_one(&[
                    "&self.stream",
                    "s",
                    "a + b",
                    "f(a, b)",
                    "*s",
                    "(s)",
                    "x as S",
                    "&mut s",
                    "if x { a } else { b }",
                ]);
            },
            |w| w.put_one(&["name = \"gemm\"", "name = \"{{}}\"", "name = \"gemm {b}\"", "name = r\"{x:?} {s}\""]),
            |w| w.put("crate = my::own"),
        ];
        let from = self.entropy.below(ALL.len());
        for (_, rule) in (0..=self.entropy.below(ALL.len())).zip(ALL.iter().cycle().skip(from)) {
            rule(self);
            self.put(",");
        }
    }

    fn arg(&mut self) {
        match self.entropy.below(3) {
            0 => self.right_or_wrong_stream(),
            1 => self.put_one(&["scope", "caller", "internal", "name = \"x {x}\"", "crate = my::own"]),
            _ => self.wrong(),
        }
    }

    fn right_or_wrong_stream(&mut self) {
        self.put("stream =");
        self.put_one(&[
            "s?",
            "return",
            "{ return; }",
            "s.await",
            "|| s?",
            "async { s.await }",
            "{ fn f() -> R { g()? } s }",
        ]);
    }

    fn wrong(&mut self) {
        self.put_one(&[
            "name = \"gemm\"",
            "name",
            "name =",
            "name = \"\"",
            "name = \"{m}x{n}\"",
            "name = 3",
            "name = b\"bytes\"",
            "name(\"a\")",
            "r#name = \"a\"",
            "crate = my::own",
            "crate",
            "crate = ",
            "crate = my::own<T>",
            "crate = \"text\"",
            "stream = &self.stream",
            "stream = f(a, b)",
            "stream",
            "scope",
            "scope = true",
            "caller",
            "stack",
            "internal",
            "fields(layer = i, query_id)",
            "fields()",
            "flops = 2 * m * n",
            "bytes = { let x = 1; x }",
            "color = 0x76b900",
            "category = \"gemm\"",
            "nmae = \"a\"",
            "= = =",
            "\"name\"",
            ",",
            "'a",
            "größe",
            "(name = \"a\")",
            "#[cfg(x)] name = \"a\"",
        ]);
    }
}
