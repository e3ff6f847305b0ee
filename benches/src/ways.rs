//! Ways to launch that more than one program measures.

use std::hint::black_box;

use crate::forms::Form;
use crate::rounds::Way;
use crate::{Gpu, range};

/// The form, again and again.
pub fn repeated(gpu: &Gpu, form: Form) -> Way<'_> {
    Box::new(move |times| {
        for _ in 0..times {
            black_box(form)(black_box(gpu))?;
        }
        Ok(())
    })
}

/// The form in a range that is pushed and popped in C.
pub fn ranged(gpu: &Gpu, form: Form) -> Way<'_> {
    let mut number = 0;
    Box::new(move |times| {
        for _ in 0..times {
            number += 1;
            range::push(number);
            let launched = black_box(form)(black_box(gpu));
            range::pop();
            launched?;
        }
        Ok(())
    })
}
