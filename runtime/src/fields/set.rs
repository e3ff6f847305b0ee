//! How a program sets fields.

/// Fields that hold on this thread while the guard lives: `let _f = with_fields!(query_id = 7, layer);`, where `layer` is
/// short for `layer = layer`. Each launch on the thread has them in its records, beside those that held before; of two with one
/// name, the new one.
///
/// Numbers and booleans, and references to such, stay what they are; anything else is what it shows ([`Display`](std::fmt::Display)).
/// Values are evaluated only while records are wanted, and never with the feature off. [`Fields`](crate::Fields) says how a thread or a task
/// takes them along.
///
/// ```
/// use launchsite::with_fields;
///
/// for layer in 0..3 {
///     let _fields = with_fields!(layer, phase = "decode", temperature = 0.7);
///     // what is launched here has the fields `layer`, `phase` and `temperature`
/// }
/// ```
#[cfg(feature = "enabled")]
#[macro_export]
macro_rules! with_fields {
    ($($name:ident $(= $value:expr)?),+ $(,)?) => {
        if $crate::__private::Entry::wants_records() {
            $crate::__private::Entry::with_fields(&[$($crate::__field!($name $(= $value)?)),+]).enter()
        } else {
            $crate::Fields::current().enter()
        }
    };
}

/// Does nothing, and evaluates nothing: the feature `enabled` is off.
#[cfg(not(feature = "enabled"))]
#[macro_export]
macro_rules! with_fields {
    ($($name:ident $(= $value:expr)?),+ $(,)?) => {{
        if $crate::ENABLED {
            $($crate::__field!($name $(= $value)?);)+
        }
        $crate::Fields::NONE.enter()
    }};
}

#[cfg(feature = "enabled")]
#[doc(hidden)]
#[macro_export]
macro_rules! __field {
    ($name:ident) => {
        $crate::__private::field(::core::stringify!($name), &$name)
    };
    ($name:ident = $value:expr) => {
        $crate::__private::field(::core::stringify!($name), &$value)
    };
}

#[cfg(not(feature = "enabled"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __field {
    ($name:ident) => {
        $crate::__shown(&$name)
    };
    ($name:ident = $value:expr) => {
        $crate::__shown(&$value)
    };
}

/// So that what can be no field is an error with the feature off too.
#[cfg(not(feature = "enabled"))]
#[doc(hidden)]
pub fn __shown<T: std::fmt::Display>(_: &T) {}
