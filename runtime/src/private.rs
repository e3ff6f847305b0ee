//! What expansions of the attribute use. Not public API: it may change in any release.

pub use crate::call::{Call, arg, done, instance, last, part, recv, start, start_cudarc, start_driver, start_runtime};
pub use crate::form::{NoStream, OneStream, Part, Place, SeeBehind, SeeFarBehind, SeeItself, SeeNothing};
pub use crate::name::{Spot, copied, start as file_start, twin};
pub use crate::site::Site;
pub use crate::{__see as see, __see_stream as see_stream, __site as site};

/// A site's `static`, with its path cut in a constant to the part inside the package.
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (
        $function:expr, $given:expr, $package:expr, $file:expr, $line:expr, $column:expr, $places:expr, $index:expr,
        $relative:expr, $absolute:expr, $generated:expr
    ) => {{
        static SITE: $crate::__private::Site = {
            const FILE: &::core::primitive::str = $file;
            const START: ::core::primitive::usize =
                $crate::__private::file_start(FILE, $relative, $absolute, $generated);
            static PATH: [::core::primitive::u8; FILE.len() - START] = $crate::__private::copied(FILE, START);
            $crate::__private::Site::new($crate::__private::Spot {
                function: $function,
                given: $given,
                module: ::core::module_path!(),
                package: $package,
                path: &PATH,
                line: $line,
                column: $column,
                twin: $crate::__private::twin($places, $index),
            })
        };
        &SITE
    }};
}

/// Looks at a stream that makes its builder in the launch's own expression.
#[doc(hidden)]
#[macro_export]
macro_rules! __see_stream {
    ($call:expr, $place:expr) => {
        if $crate::__private::Call::looks(&$call) {
            use $crate::__private::{NoStream as _, OneStream as _};
            $crate::__private::Call::see(&mut $call, (&&$crate::__private::Place($place)).launchsite_stream());
        }
    };
}

/// Looks at a receiver that is a place, where that is of use.
#[doc(hidden)]
#[macro_export]
macro_rules! __see {
    ($call:expr, $place:expr) => {
        if $crate::__private::Call::looks(&$call) {
            use $crate::__private::{SeeBehind as _, SeeFarBehind as _, SeeItself as _, SeeNothing as _};
            $crate::__private::Call::see(&mut $call, (&&&&$crate::__private::Place($place)).launchsite_see());
        }
    };
}
