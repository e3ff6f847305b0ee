//! Shapes of `attrs`.

use std::sync::Arc;

use cudarc::driver::DevicePtr;
use launch_shapes::attrs::{decode, decode_is_send, enqueue, launch_unary, shapes_mix_words, smooth};

use crate::Shape;
use crate::rig::{block_on, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V46", |rig| {
        let (input, output) = (rig.zeros::<f32>(64), rig.zeros::<f32>(64));
        let ((input, _read), (output, _written)) = (input.device_ptr(&rig.stream), output.device_ptr(&rig.stream));
        went(unsafe { launch_unary(&rig.stream, &rig.kernel("unary"), "unary", input, output, 64) })
    }),
    ("V47", |rig| {
        let ticket = enqueue(&rig.stream, &rig.kernel("enqueue"), 7);
        shown(ticket.map(|ticket| (ticket.0.file().to_owned(), ticket.0.line(), ticket.1)))
    }),
    ("V48", |rig| {
        #[cfg(feature = "probe")]
        let smoothed = smooth(&rig.gpu(), &rig.kernel("probe"), &mut rig.zeros(64));
        #[cfg(not(feature = "probe"))]
        let smoothed = smooth(&rig.gpu(), &mut rig.zeros(64));
        went(smoothed)
    }),
    ("V49", |rig| {
        let (kernel, data) = (rig.kernel("mix"), rig.zeros::<u32>(64));
        let stream = Arc::as_ptr(&rig.stream);
        let (data, _held) = data.device_ptr(&rig.stream);
        let mix = |stream| unsafe { shapes_mix_words(stream, &kernel, data as *mut _, 64) };
        shown((mix(stream), mix(std::ptr::null())))
    }),
    ("V50", |rig| {
        let (kernel, codes) = (rig.kernel("decode"), rig.zeros(64));
        decode_is_send(&rig.stream, &kernel, &codes);
        let (decoded, polls) = block_on(decode(&rig.stream, &kernel, &codes));
        shown((decoded.map(|decoded| decoded.len()), polls))
    }),
];
