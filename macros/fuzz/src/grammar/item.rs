//! Items: functions most of the time.

use super::Writer;

impl Writer<'_, '_> {
    pub(super) fn annotated(&mut self) {
        match self.entropy.below(16) {
            0..=10 => self.function(),
            11 | 12 => self.block_of_impl(),
            13 => self.bodiless(),
            _ => self.other_item(),
        }
    }

    pub(super) fn function(&mut self) {
        self.signature();
        self.body();
    }

    /// A function without a body, as a trait has it.
    fn bodiless(&mut self) {
        self.signature();
        self.put(";");
    }

    fn block_of_impl(&mut self) {
        self.attributes();
        self.maybe(8, |w| w.put("unsafe"));
        self.put("impl");
        self.generics();
        self.maybe(2, |w| w.put_one(&["Forward for", "!Send for", "ops::Forward<T> for"]));
        self.one_type();
        self.where_clause();
        self.within(("{", "}"), |w| {
            w.maybe(8, |w| w.put("#![allow(unused)]"));
            for _ in 0..w.entropy.below(5) {
                w.part_of_impl();
            }
        });
    }

    fn part_of_impl(&mut self) {
        match self.entropy.below(8) {
            0..=4 => {
                self.maybe(12, |w| w.put("#[launchsite::gpu_kernel(name = \"own\")]"));
                self.function();
            }
            5 => self.put("pub const N: usize = { 3 };"),
            6 => self.put("type Out<'a> = &'a T where Self: 'a;"),
            _ => self.put_one(&["generated! { fn f(&self) { b.launch(cfg) } }", "default fn f() {}", "fn g(&self);"]),
        }
    }

    pub(super) fn other_item(&mut self) {
        self.attributes();
        self.put_one(&[
            "struct S;",
            "struct S<'a, T: 'a>(&'a T) where T: Copy;",
            "pub struct S { #[serde(skip)] pub(crate) b: LaunchArgs<'static>, r#type: u8 }",
            "enum E { A = { 1 }, B(u8), C { x: u8 } }",
            "union U { a: u8, b: i8 }",
            "trait T<const N: usize>: Sized { fn f(&self) { self.b.launch(cfg); } const X: u8; type Y; }",
            "mod inner { fn f(b: B) { b.launch(cfg); } }",
            "mod file;",
            "const N: usize = b.launch(cfg);",
            "const _: () = { fn f() {} };",
            "static mut S: [u8; 2] = [0; 2];",
            "use a::{b as _, c::*};",
            "type A<T> = Vec<T>;",
            "extern \"C\" { fn cuLaunchKernel(f: F, ...) -> CUresult; static X: u8; }",
            "extern crate core as mine;",
            "macro_rules! launch { ($b:expr) => { $b.launch(cfg) } }",
            "launch! { b }",
            "launch!(b);",
            "unsafe impl Send for S {}",
        ]);
    }
}
