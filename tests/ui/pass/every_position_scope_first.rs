//! Every position that a function can stand in, and what looks like a function and is none.

#![deny(warnings, unused, missing_docs, unused_qualifications, unreachable_pub, unused_results)]

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// fn in_a_comment() {}
pub(crate) struct Array<const N: usize>([u8; N]);

type Pointer = unsafe extern "C" fn(u32) -> u32;

#[::launchsite::gpu_kernel(scope)] /// Documented.
#[inline]
#[must_use]
#[cfg_attr(all(), track_caller)]
pub(crate) fn with_attributes(x: u32) -> u32 {
    x + 1
}

#[::launchsite::gpu_kernel(scope)] #[cfg(any())]
fn twice(_: u32) -> ! {
    loop {}
}

#[::launchsite::gpu_kernel(scope)] #[cfg(all())]
fn twice(x: u32) -> u32 { x * 2 }

const fn constant(x: u32) -> u32 { x }

const unsafe extern "C" fn all_qualifiers(x: u32) -> u32 { x }

async fn asynchronous(x: u32) -> u32 { std::future::ready(x).await }

#[::launchsite::gpu_kernel(scope)] /// Documented.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub extern "C" fn launchsite_every_position(x: u32) -> u32 { x }

#[::launchsite::gpu_kernel(scope)] pub(in crate) unsafe fn dangerous(x: *const u32) -> u32 {
    // SAFETY: the caller's word.
    unsafe { *x }
}

#[::launchsite::gpu_kernel(scope)] fn never() -> ! { std::panic::resume_unwind(Box::new(stringify!(fn quoted() {}))) }

#[::launchsite::gpu_kernel(scope)] fn generic<'a, T: ?Sized, const N: usize>(_: &'a T, (a, _): (u32, u32), mut b: u32) -> Array<{ 1 + 2 }>
where
    T: AsRef<str>,
{
    b += a;
    Array([u8::try_from(b).unwrap(); 3])
}

#[::launchsite::gpu_kernel(scope)] fn opaque(f: impl Fn(u32) -> u32) -> impl Fn(u32) -> u32 { move |x| f(f(x)) }

#[::launchsite::gpu_kernel(scope)] fn r#type(f: for<'a> fn(&'a u32) -> &'a u32, x: &u32) -> u32 { *f(x) }

#[::launchsite::gpu_kernel(scope)] fn borrowed<'a>(x: &'a mut Vec<u32>, y: &u32) -> &'a mut u32 {
    x.push(*y);
    x.last_mut().unwrap()
}

#[::launchsite::gpu_kernel(scope)] fn returns(x: Option<u32>) -> Option<u32> {
    let x = x?;
    if x > 3 {
        return None;
    }
    for i in 0.. {
        if i > x {
            break;
        }
    }
    Some(x)
}

#[::launchsite::gpu_kernel(scope)] fn nested(x: u32) -> u32 {
    #[::launchsite::gpu_kernel(scope)] fn inner(x: u32) -> u32 { x + 10 }
    struct Local;
    impl Local {
        #[::launchsite::gpu_kernel(scope)] fn method(&self, x: u32) -> u32 { inner(x) }
    }
    let closure = |x| {
        #[::launchsite::gpu_kernel(scope)] fn in_a_closure(x: u32) -> u32 { x + 100 }
        in_a_closure(x)
    };
    match x {
        0 => 0,
        x => {
            #[::launchsite::gpu_kernel(scope)] fn in_an_arm(x: u32) -> u32 { x }
            in_an_arm(closure(Local.method(x)))
        }
    }
}

const IN_A_CONSTANT: u32 = {
    const fn f() -> u32 { 7 }
    f()
};

static IN_A_STATIC: [u32; { const fn f() -> usize { 2 } f() }] = [1; 2];

mod module {
    pub(crate) mod deeper {
        #[::launchsite::gpu_kernel(scope)] pub(in crate::module) fn restricted() -> u32 { 4 }
        #[::launchsite::gpu_kernel(scope)] pub(crate) fn outer() -> u32 { super::sibling() }
    }
    #[::launchsite::gpu_kernel(scope)] fn sibling() -> u32 { deeper::restricted() }
}

trait Shape {
    const SIDES: u32;
    fn required(&self) -> u32;
    #[::launchsite::gpu_kernel(scope)] fn provided(&self) -> u32 { self.required() + Self::SIDES }
    #[::launchsite::gpu_kernel(scope)] fn by_value(self) -> u32
    where
        Self: Sized,
    {
        self.provided()
    }
    fn without_self() -> Array<{ 1 + 1 }>;
    async fn later(&mut self) -> u32 { self.provided() }
}

#[derive(Clone, Debug, Default)]
struct Square {
    sides: Vec<u32>,
}

impl Shape for Square {
    const SIDES: u32 = 4;
    #[::launchsite::gpu_kernel(scope)] #[inline(always)]
    fn required(&self) -> u32 { self.sides.iter().sum() }
    #[::launchsite::gpu_kernel(scope)] fn without_self() -> Array<{ 1 + 1 }> { Array([3; 2]) }
}

impl Square {
    /// Documented.
    pub(crate) const fn new() -> Self { Self { sides: Vec::new() } }
    #[::launchsite::gpu_kernel(scope)] fn with(mut self, side: u32) -> Self {
        self.sides.push(side);
        self
    }
    #[::launchsite::gpu_kernel(scope)] fn boxed(self: Box<Self>) -> u32 { self.by_value() }
    #[::launchsite::gpu_kernel(scope)] fn pinned(self: Pin<&mut Self>) -> &mut u32 { borrowed(&mut self.get_mut().sides, &1) }
    async fn awaited(&self) -> u32 { asynchronous(self.required()).await }
    #[::launchsite::gpu_kernel(scope)] fn iter(&self) -> impl Iterator<Item = &u32> + use<'_> { self.sides.iter() }
}

impl Future for Square {
    type Output = u32;
    #[::launchsite::gpu_kernel(scope)] fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> { Poll::Ready(self.required()) }
}

impl<const N: usize> Drop for Array<N> {
    #[::launchsite::gpu_kernel(scope)] fn drop(&mut self) { self.0 = [0; N]; }
}

macro_rules! functions {
    ($(#[$meta:meta])* $vis:vis fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[::launchsite::gpu_kernel(scope)] $vis fn $name() -> u32 $body
    };
    (both $first:ident $second:ident, $($unsafe:ident)?) => {
        functions! { #[::launchsite::gpu_kernel(scope)] fn $first() { 20 } }
        $($unsafe)? #[::launchsite::gpu_kernel(scope)] fn $second() -> u32 { #[::launchsite::gpu_kernel(scope)] fn inner() -> u32 { 30 } inner() }
    };
    (expression $x:expr) => {{
        #[::launchsite::gpu_kernel(scope)] fn hygienic(x: u32) -> u32 { x }
        hygienic($x)
    }};
}

macro_rules! items {
    ($($item:item)*) => { $($item)* };
}

functions! {
    #[::launchsite::gpu_kernel(scope)] /// Documented.
    #[inline]
    pub(crate) fn given() { 10 }
}
functions!(both first second,);

items! {
    #[::launchsite::gpu_kernel(scope)] fn handed_on(x: u32) -> u32 { x + 1 }
    impl Square {
        #[::launchsite::gpu_kernel(scope)] fn in_an_item(&self) -> u32 { self.required() }
    }
}

#[::launchsite::gpu_kernel(scope)] fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => never(),
    }
}

#[::launchsite::gpu_kernel(scope)] fn main() {
    let pointer: Pointer = all_qualifiers;
    // SAFETY: neither asks for anything but a valid pointer.
    assert_eq!(unsafe { pointer(1) + dangerous(&2) }, 3);
    assert_eq!((with_attributes(1), twice(3), launchsite_every_position(5), IN_A_CONSTANT, IN_A_STATIC[1]), (2, 6, 5, 7, 1));
    const { assert!(constant(3) == 3) };
    assert_eq!(generic::<_, 3>("", (1, 9), 1).0, [2; 3]);
    assert_eq!((opaque(|x| x + 1)(1), r#type(|x| x, &8), nested(1), module::deeper::outer()), (3, 8, 111, 4));
    assert_eq!((returns(Some(3)), returns(Some(4)), returns(None)), (Some(3), None, None));
    let mut square = Square::new().with(1).with(2);
    *Pin::new(&mut square).pinned() += 3;
    assert_eq!((square.iter().count(), now(square.awaited()), now(square.later()), now(square.clone())), (3, 7, 11, 7));
    assert_eq!((square.in_an_item(), Box::new(square).boxed(), Square::without_self().0), (7, 11, [3; 2]));
    assert_eq!((given(), first(), second(), handed_on(1), functions!(expression 40)), (10, 20, 30, 2, 40));
    assert!(std::panic::catch_unwind(|| -> u32 { never() }).is_err());
}
