//! Types.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn one_type(&mut self) {
        self.one_of(&[
            |w| w.put_one(&["u32", "f32", "Self", "T", "CudaStream", "()", "r#type", "crate::B", "::a::b::C"]),
            |w| w.put_one(&["!", "_", "&'static str", "fn()", "LaunchArgs<'_>", "Größe"]),
            |w| {
                w.put_one(&["&", "&mut", "&'a", "&&", "&'a mut", "*const", "*mut"]);
                w.one_type();
            },
            |w| w.within(("[", "]"), Self::one_type),
            |w| {
                w.put("[");
                w.one_type();
                w.put_one(&["; N]", "; 3]", "; { b.launch(cfg) }]", "; b.launch(cfg)]", "; size_of::<T>()]"]);
            },
            |w| w.within(("(", ")"), |w| w.some(3, ",", Self::one_type)),
            |w| {
                w.put_one(&["Result", "Vec", "std::collections::HashMap", "<T as Tr>::Out"]);
                w.within(("<", ">"), |w| w.some(3, ",", Self::one_type));
            },
            |w| {
                w.put_one(&["impl", "dyn", "Box<dyn"]);
                let closed = w.text.ends_with('<') || w.text.ends_with("Box<dyn");
                w.put_one(&["Fn(u8, T) -> u8 + 'a", "Iterator<Item = T>", "for<'x> Tr<'x>", "Tr + Send + ?Sized"]);
                w.put(if closed { ">" } else { "" });
            },
            |w| {
                w.put_one(&["fn(", "unsafe extern \"C\" fn(", "for<'x> fn("]);
                w.some(2, ",", Self::one_type);
                w.put(") ->");
                w.one_type();
            },
            |w| {
                w.put_one(&[
                    "Array<{ b.launch(cfg) }>",
                    "Array<3, -1, true>",
                    "Of!(T)",
                    "<T>::Out",
                    "Vec<<T as Tr>::Out>",
                ]);
            },
        ]);
    }
}
