//! Ways to launch that more than one program measures.

use std::hint::black_box;

use crate::forms::Form;
use crate::rounds::Way;
use crate::{Gpu, range};

/// The form, again and again.
pub fn repeated<'w>(gpu: &'w Gpu, form: Form) -> Way<'w> {
    Box::new(move |times| {
        for _ in 0..times {
            black_box(form)(black_box(gpu))?;
        }
        Ok(())
    })
}

/// The form in a range that is pushed and popped in C.
pub fn ranged<'w>(gpu: &'w Gpu, form: Form) -> Way<'w> {
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
