//! What stands around a function's body.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn attributes(&mut self) {
        for _ in 0..self.entropy.below(4).saturating_sub(1) {
            self.attribute();
        }
    }

    fn attribute(&mut self) {
        self.put_one(&[
            "#[inline]",
            "/// Documented.\n",
            "#[doc = \"a \\\" b\"]",
            "#[cfg(feature = \"probe\")]",
            "#[cfg_attr(not(x), allow(unused_mut), must_use = \"why\")]",
            "#[allow(clippy::too_many_arguments)]",
            "#[unsafe(no_mangle)]",
            "#[track_caller]",
            "#[tracing::instrument(fields(b = b.launch(cfg)))]",
            "#[other { any = tokens, .. }]",
            "/** Block. */",
        ]);
    }

    pub(super) fn signature(&mut self) {
        self.attributes();
        self.put_one(&["", "", "pub", "pub(crate)", "pub(in super::a)"]);
        self.maybe(10, |w| w.put("const"));
        self.maybe(6, |w| w.put("async"));
        self.maybe(5, |w| w.put("unsafe"));
        self.maybe(8, |w| w.put_one(&["extern", "extern \"C\"", "extern r\"system\""]));
        self.put("fn");
        self.put_one(&["f", "saxpy", "r#match", "größe", "launch", "cuLaunchKernel"]);
        self.generics();
        self.within(("(", ")"), |w| {
            w.maybe(3, Self::receiver);
            w.some(4, ",", Self::parameter);
        });
        if self.once_in(3) {
            self.put("->");
            self.one_type();
        }
        self.where_clause();
    }

    fn receiver(&mut self) {
        self.attributes();
        self.put_one(&[
            "self,",
            "&self,",
            "&mut self,",
            "mut self,",
            "&'a mut self,",
            "self: Pin<&mut Self>,",
            "mut self: Box<Self>,",
        ]);
    }

    fn parameter(&mut self) {
        self.attributes();
        self.pattern();
        self.put(":");
        self.one_type();
    }

    pub(super) fn generics(&mut self) {
        self.put_one(&[
            "",
            "",
            "",
            "<'a, T>",
            "<T: Copy + ?Sized + 'static, const N: usize>",
            "<'a: 'b, 'b, T: Fn(&'a u8) -> u8 = fn(u8)>",
            "<const N: usize = { 1 + 2 }, const B: bool = true,>",
            "<#[cfg(x)] T: for<'x> Tr<'x, Out = u8>>",
            "<>",
        ]);
    }

    pub(super) fn where_clause(&mut self) {
        self.put_one(&[
            "",
            "",
            "",
            "where T: Send",
            "where for<'x> &'x T: Add<Output = T>, 'a: 'b,",
            "where [u8; N]: Sized, T::Out<'a>: ?Sized",
            "where",
        ]);
    }
}
