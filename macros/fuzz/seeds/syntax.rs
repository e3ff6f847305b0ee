//! What else a function may hold, beside its launch.

/// Documented.
#[must_use = "why"]
#[cfg_attr(not(test), allow(unused))]
pub(in crate::ops) async unsafe extern "C" fn everything<'a, 'b: 'a, T, const N: usize>(
    self: std::pin::Pin<&'a mut Self>,
    #[cfg(x)] (größe, [first, .., last]): (usize, [T; 3]),
    S { r#type, ref mut y, .. }: S<'b, { N }>,
    f: impl for<'x> Fn(&'x T) -> Box<dyn Fn(u8) -> u8 + 'x>,
) -> Result<impl Iterator<Item = &'a T> + use<'a, T>, !>
where
    for<'x> <T as Tr<'x>>::Out: Sized + 'b,
    [u8; N]: Default,
{
    #![allow(unused)]
    const BLOCK: u32 = { const fn f() -> u32 { 1 } f() };
    static NAMES: &[&str] = &["a", r#"b"#, "c"];
    use std::fmt::Write as _;
    let x @ (1..=3 | 5) = y else { unreachable!() };
    let z = const { 1 + N } as f32 * -1.5e-3_f32.powi(2) + !0u8 as f32;
    let t = (1, "two", 'c', b'd', c"e", [0u8; 4], S { a: 1, ..Default::default() }.a, ());
    let w = &raw const *p;
    unsafe { self.args.0.launch(cfg::<{ N }, T>(t.0.1)) }?;
    'a: { if let Some(1..) = x && let [a, b, ..] = t[..] && a < b { break 'a } }
    for (i, _) in (0..).zip(&NAMES[1..=2]) { continue }
    macro_rules! own { ($($x:expr),* $(,)?) => { [$($x),*] }; }
    let c = for<'x> |x: &'x u8| -> &'x u8 { x };
    let r = own![1, 2, 3].iter().map(|&x| x as u64).sum::<u64>() >> 2 >= 3;
    match r { true if f(&x)(1) == 2 => {} false | true => (), }
    |x| x; || (); async {}.await; return Ok(std::iter::empty());
}

trait Forward {
    fn forward(&self, s: &CudaStream) -> R { self.builder(s).launch(self.cfg()) }
}

impl Forward for Linear {
    fn forward(&self, s: &CudaStream) -> R { unsafe { (self.b)(s).launch(CFG) } }
}

const fn lookalike(b: B) -> u32 { b.launch(1).launch(b) }

fn others(app: App) { app.launch(); launch(app); app.launch(&x); app.launch(|x| x); app.launch("mpv"); }
