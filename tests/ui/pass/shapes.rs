//! Where a launch may stand.

#![deny(warnings)]
#![forbid(unsafe_code, unused)]

use launchsite::{gpu_kernel, host};

const ONE: host::LaunchConfig = host::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

type Outcome = Result<(), host::Error>;

trait Forward {
    fn forward(&self) -> Outcome;

    #[gpu_kernel]
    fn provided(&self, stream: &host::Stream) -> Outcome {
        stream.launch_builder("k", || {}).launch(ONE)
    }
}

struct Layer<T, const N: usize> {
    stream: host::Stream,
    _of: std::marker::PhantomData<T>,
}

impl<T: Copy, const N: usize> Forward for Layer<T, N> {
    #[gpu_kernel]
    fn forward(&self) -> Outcome {
        match N {
            0 => self.stream.launch_builder("zero", || {}).launch(ONE),
            n if n > 100 => Ok(()),
            _ => {
                let builder = self.stream.launch_builder("some", || {});
                builder.launch(ONE)
            }
        }
    }
}

#[gpu_kernel]
impl<T, const N: usize> Layer<T, N> {
    const TURNS: usize = N;

    /// Launches, and so is a site of its own.
    #[must_use = "a launch can fail"]
    fn backward(&self) -> Outcome {
        (0..Self::TURNS).try_for_each(|_| self.stream.launch_builder("k", || {}).launch(ONE))
    }

    #[gpu_kernel(name = "own name")]
    fn named(&self) -> Outcome {
        self.stream.launch_builder("k", || {}).launch(ONE)
    }

    const fn turns() -> usize {
        Self::TURNS
    }
}

#[gpu_kernel]
fn control(stream: &host::Stream, turns: u32) -> Outcome {
    let Some(turns) = turns.checked_sub(1) else { return Ok(()) };
    'outer: for turn in 0..turns {
        while stream.launch_builder("k", || {}).launch(ONE).is_ok() {
            if turn == 1 {
                continue 'outer;
            }
            break 'outer;
        }
    }
    if let Err(error) = stream.launch_builder("k", || {}).launch(ONE) {
        return Err(error);
    }
    let launch = |config| stream.launch_builder("k", || {}).launch(config);
    launch(ONE)?;
    let results = [launch(ONE), stream.launch_builder("k", || {}).launch(ONE)];
    results.into_iter().collect()
}

fn builder(stream: &host::Stream) -> host::LaunchArgs<'_> {
    stream.launch_builder("k", || {})
}

/// Parentheses and braces around a receiver are the user's, and no warning.
#[gpu_kernel]
fn receivers(stream: &host::Stream, one: bool) -> Outcome {
    (if one { builder(stream) } else { stream.launch_builder("k", || {}) }).launch(ONE)?;
    let made = { builder(stream) }.launch(ONE);
    made.and_then(|()| match one {
        true => builder(stream),
        false => builder(stream),
    }
    .launch(ONE))
}

#[gpu_kernel]
async fn waiting(stream: &host::Stream) -> Outcome {
    std::future::ready(()).await;
    stream.launch_builder("k", || {}).launch(std::future::ready(ONE).await)?;
    std::future::ready(()).await;
    Ok(())
}

/// What an async closure gives may outlive the call, where it captures no more than what outlives it.
#[gpu_kernel(caller)]
fn given(stream: &host::Stream) -> impl Future<Output = Outcome> {
    (async || stream.launch_builder("k", || {}).launch(ONE))()
}

/// A closure that takes nothing is a function pointer, `move` or not.
#[gpu_kernel(caller)]
fn pointer(stream: &host::Stream) -> fn(&host::Stream) -> Outcome {
    let _ = stream;
    move |stream| stream.launch_builder("k", || {}).launch(ONE)
}

#[gpu_kernel]
extern "C" fn exported(stream: &host::Stream) -> i32 {
    i32::from(stream.launch_builder("k", || {}).launch(ONE).is_err())
}

macro_rules! launchers {
    ($($name:ident)*) => { $(
        #[gpu_kernel]
        fn $name(stream: &host::Stream) -> Outcome {
            stream.launch_builder("first", || {}).launch(ONE)?;
            stream.launch_builder("second", || {}).launch(ONE)
        }
    )* };
}

launchers!(add mul);

/// A condition that fails shows the text that it shows without the attribute.
#[gpu_kernel]
fn asserting(stream: &host::Stream) {
    assert!(
        !stream
            .launch_builder("{k}", || {})
            .launch(ONE)
            .is_ok()
    );
}

/// Closures whose expression is one of a block's, and not a statement of it that ends at its first brace.
#[gpu_kernel]
fn in_closures(stream: &host::Stream) -> u32 {
    let added = |more: u32| if stream.launch_builder("k", || {}).launch(ONE).is_ok() { 1 } else { 2 } + more;
    let cast = || match stream.launch_builder("k", || {}).launch(ONE) {
        Ok(()) => 1_u8,
        Err(_) => 2,
    } as u32;
    let compared = || { stream.launch_builder("k", || {}).launch(ONE) } == Ok(());
    added(3) + cast() + u32::from(compared())
}

fn is_send<T: Send>(value: T) -> T {
    value
}

fn main() {
    let stream = host::Host::new().stream();
    let layer = Layer::<f32, 4> { stream: host::Host::new().stream(), _of: std::marker::PhantomData };
    layer.forward().unwrap();
    layer.provided(&stream).unwrap();
    layer.backward().unwrap();
    layer.named().unwrap();
    assert_eq!(Layer::<f32, 4>::turns(), 4);
    receivers(&stream, true).unwrap();
    control(&stream, 4).unwrap();
    assert_eq!(exported(&stream), 0);
    assert_eq!(in_closures(&stream), 4 + 1 + 1);
    std::panic::set_hook(Box::new(|_| {}));
    let stream_of = std::panic::AssertUnwindSafe(&stream);
    let panic = std::panic::catch_unwind(move || asserting(&stream_of)).unwrap_err();
    let condition = "!stream.launch_builder(\"{k}\", || {}).launch(ONE).is_ok()";
    let _ = std::panic::take_hook();
    // Of the type, too, that it has without the attribute.
    let text = panic.downcast_ref::<&'static str>();
    assert_eq!(*text.unwrap(), format!("assertion failed: {condition}"));
    add(&stream).unwrap();
    mul(&stream).unwrap();
    drop(given(&stream));
    pointer(&stream)(&stream).unwrap();
    let mut future = std::pin::pin!(is_send(waiting(&stream)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_ready());
}
