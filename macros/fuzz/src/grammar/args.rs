//! The attribute's arguments.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn args(&mut self) {
        // Most of the time right, or what stands below would never be looked at.
        match self.entropy.below(8) {
            0..=4 => {}
            5 => self.put_one(&["name = \"gemm\"", "crate = my::own", "crate = crate", "crate = ::launchsite,"]),
            6 => self.put_one(&["name = \"a b\", crate = x", "crate = self::r#as, name = r#\"raw\"#,"]),
            _ => self.some(4, ",", Self::arg),
        }
    }

    fn arg(&mut self) {
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
