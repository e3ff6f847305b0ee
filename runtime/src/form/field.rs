//! The value of a field, by its type: numbers stay numbers.

use std::fmt::Display;

use super::as_type;
use crate::fields::{Given, Work};

/// A field with its value. What is no number and no `bool`, nor a reference to one, is what it shows.
pub fn field<'v, T: Display>(name: &'static str, value: &'v T) -> (&'static str, Given<'v>) {
    (name.trim_start_matches("r#"), given(value))
}

/// What a launch does, as a number: `flops` or `bytes`. What is no amount, below zero or infinite, is none.
pub fn work<T: Amount>(name: &'static str, value: &T) -> (&'static str, Given<'static>) {
    (if name == "flops" { Work::FLOPS } else { Work::BYTES }, Given::Float(value.amount()))
}

/// A number, or a reference to one.
#[diagnostic::on_unimplemented(message = "`{Self}` is no number: `flops` and `bytes` are amounts of work")]
pub trait Amount {
    /// As many as a float holds: of more than 2^53 the last digits are lost.
    fn amount(&self) -> f64;
}

macro_rules! amounts {
    ($($type:ident),+) => {
        $(
            impl Amount for $type {
                #[allow(clippy::cast_precision_loss, clippy::cast_lossless, trivial_numeric_casts, reason = "as it says")]
                fn amount(&self) -> f64 {
                    *self as f64
                }
            }

            impl Amount for &$type {
                fn amount(&self) -> f64 {
                    (**self).amount()
                }
            }
        )+
    };
}

amounts!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

macro_rules! given {
    ($value:ident: $($type:ident $kind:ident),+) => {
        $(
            if let Some(&value) = as_type::<_, $type>($value) {
                return Given::$kind(value.into());
            }
            if let Some(&value) = as_type::<_, &'static $type>($value) {
                return Given::$kind((*value).into());
            }
        )+
    };
}

fn given<T: Display>(value: &T) -> Given<'_> {
    given!(value: u64 Unsigned, u32 Unsigned, u16 Unsigned, u8 Unsigned, i64 Signed, i32 Signed, i16 Signed, i8 Signed);
    given!(value: f64 Float, f32 Float, bool Bool);
    // As wide as the above on every machine that there is.
    if let Some(value) =
        as_type::<_, usize>(value).copied().or_else(|| as_type::<_, &usize>(value).map(|value| **value))
        && let Ok(value) = value.try_into()
    {
        return Given::Unsigned(value);
    }
    if let Some(value) =
        as_type::<_, isize>(value).copied().or_else(|| as_type::<_, &isize>(value).map(|value| **value))
        && let Ok(value) = value.try_into()
    {
        return Given::Signed(value);
    }
    Given::Shown(value)
}
