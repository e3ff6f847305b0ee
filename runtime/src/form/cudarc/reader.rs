//! The stream and the context of a builder, read off its `Debug` text.

use std::fmt::{self, Write};

/// Reads `LaunchArgs { stream: CudaStream { cu_stream: 0x…, ctx: CudaContext { cu_device: …, cu_ctx: 0x…, … num_streams: …,
/// event_tracking: …` as it is written, piece by piece.
#[derive(Default)]
pub(super) struct Reader {
    /// How much of [`LABELS`] has been met.
    met: usize,
    pub(super) handle: Option<u64>,
    /// A `CUdevice` is the device's number.
    pub(super) device: Option<u32>,
    pub(super) context: Option<u64>,
    /// Pieces behind the context that told nothing.
    passed: usize,
    /// What `is_managing_stream_synchronization` of the context would say.
    manages: Option<bool>,
}

/// The names of types and fields on the way, in their order. Whatever comes in another is another text.
const LABELS: [&str; 7] = ["LaunchArgs", "stream", "CudaStream", "cu_stream", "ctx", "CudaContext", "cu_device"];
const LAST_LABEL: &str = "cu_ctx";
/// Fields behind it: how many streams there are beside the default one, and whether uses of arguments are kept track of.
const STREAMS: &str = "num_streams";
const TRACKING: &str = "event_tracking";
/// So many pieces behind the context the two are not looked for any more.
const FAR: usize = 16;

impl Reader {
    /// Whether cudarc may make the stream wait inside the launch; so too where the text does not tell.
    pub(super) fn may_wait(&self) -> bool {
        self.manages.unwrap_or(true)
    }

    /// A piece behind the context; an error once all is known that matters.
    fn behind(&mut self, piece: &str) -> fmt::Result {
        match self.met {
            8 if piece == STREAMS => self.met = 9,
            9 if piece == "0" => self.manages = Some(false),
            9 => self.met = 10,
            10 if piece == TRACKING => self.met = 11,
            11 => self.manages = Some(piece != "false"),
            _ => self.passed += 1,
        }
        if self.manages.is_some() || self.passed > FAR { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Write for Reader {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        match piece {
            " { " | ", " | ": " | "0x" | "" => return Ok(()),
            _ => {}
        }
        if LABELS.get(self.met) == Some(&piece) {
            self.met += 1;
            return Ok(());
        }
        match self.met {
            // Behind `cu_stream`, its digits.
            4 if self.handle.is_none() => self.handle = Some(digits(piece)?),
            // Behind `cu_device` its number, and then the last label and its digits.
            7 if self.device.is_none() => self.device = Some(piece.parse().map_err(|_| fmt::Error)?),
            7 if piece == LAST_LABEL => self.met = 8,
            8 if self.context.is_none() => self.context = Some(digits(piece)?),
            8.. => return self.behind(piece),
            _ => return Err(fmt::Error),
        }
        Ok(())
    }
}

fn digits(piece: &str) -> Result<u64, fmt::Error> {
    let digits = piece.strip_prefix("0x").unwrap_or(piece);
    u64::from_str_radix(digits, 16).map_err(|_| fmt::Error)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::Reader;

    /// The derived `Debug` of types with the same fields as cudarc's.
    mod shapes {
        use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct LaunchArgs<'a> {
            pub(super) stream: &'a CudaStream,
            pub(super) func: u8,
        }
        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct CudaStream {
            pub(super) cu_stream: *mut u8,
            pub(super) ctx: std::sync::Arc<CudaContext>,
            pub(super) owned: bool,
        }
        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct CudaContext {
            pub(super) cu_device: i32,
            pub(super) cu_ctx: *mut u8,
            pub(super) ordinal: usize,
            pub(super) has_async_alloc: bool,
            pub(super) is_primary: bool,
            pub(super) num_streams: AtomicUsize,
            pub(super) event_tracking: AtomicBool,
            pub(super) error_state: AtomicU32,
        }
    }

    #[allow(clippy::arc_with_non_send_sync)] // as it stands in cudarc
    fn read(handle: usize, context: usize, device: i32, streams: usize, tracking: bool) -> Reader {
        let ctx = shapes::CudaContext {
            cu_device: device,
            cu_ctx: std::ptr::without_provenance_mut(context),
            ordinal: 1,
            has_async_alloc: true,
            is_primary: true,
            num_streams: streams.into(),
            event_tracking: tracking.into(),
            error_state: 0.into(),
        };
        let stream = shapes::CudaStream {
            cu_stream: std::ptr::without_provenance_mut(handle),
            ctx: std::sync::Arc::new(ctx),
            owned: true,
        };
        let mut reader = Reader::default();
        let text = write!(reader, "{:?}", shapes::LaunchArgs { stream: &stream, func: 7 });
        assert!(text.is_err(), "the reader gives up once it has enough");
        reader
    }

    #[test]
    fn handle_and_context_are_read() {
        for (handle, context, device) in [(0x55d0_1234_5678, 0x7f00_0000_1000, 0_i32), (0, 0x10, 3), (2, 1, 11)] {
            let reader = read(handle, context, device, 1, true);
            let expected = (Some(handle as u64), Some(device.cast_unsigned()), Some(context as u64));
            assert_eq!((reader.handle, reader.device, reader.context), expected);
        }
    }

    #[test]
    fn s0_12_a_context_that_keeps_track_of_arguments_may_wait() {
        for (streams, tracking, waits) in [(0, true, false), (0, false, false), (1, false, false), (12, true, true)] {
            assert_eq!(read(7, 9, 0, streams, tracking).may_wait(), waits, "{streams} {tracking}");
        }
        // A text that does not say it.
        let mut reader = Reader::default();
        let context = "LaunchArgs|stream|CudaStream|cu_stream|0x1|ctx|CudaContext|cu_device|0|cu_ctx|0x2";
        for piece in context.split('|').chain(["other"; 40]) {
            if reader.write_str(piece).is_err() {
                break;
            }
        }
        assert_eq!((reader.handle, reader.context), (Some(1), Some(2)));
        assert!(reader.may_wait() && reader.passed <= 17);
    }

    #[test]
    fn another_text_gives_nothing() {
        for text in ["", "LaunchArgs { func: 1 }", "Builder { stream: 1 }", "0x10", "LaunchArgs { stream: 0x10 }"] {
            let mut reader = Reader::default();
            let _ = write!(reader, "{text}");
            assert_eq!((reader.handle, reader.context), (None, None), "{text}");
        }
    }
}
