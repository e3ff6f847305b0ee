//! What expansions of the attribute use. Not public API: it may change in any release.

pub use crate::call::{
    Around, Call, Slot, arg, beside, done, done_graph, enter, fetch_for, fetches, instance, last, part, recv,
    recv_graph, start, start_cudarc, start_driver, start_runtime,
};
pub use crate::entry::Entry;
pub use crate::form::{
    NoCapture, NoGraph, NoStream, OneCapture, OneGraph, OneStream, Outcome, Part, Place, SeeBehind, SeeFarBehind,
    SeeItself, SeeNothing, SeenGraph, SomeResult, SomeValue, stream_of,
};
pub use crate::form::{field, work};
pub use crate::launch::Scope;
pub use crate::name::file::File;
pub use crate::name::spot::{By, Spot, twin};
pub use crate::name::texts::Texts;
pub use crate::record::Kind;
pub use crate::site::Site;
pub use crate::{
    __around as around, __enter_text as enter_text, __fetch as fetch, __see as see, __see_capture as see_capture,
    __see_graph as see_graph, __see_stream as see_stream, __site as site,
};
pub use ::core::{column, file, line};

/// A site's `static`: one item, since each costs the compiler more than what is in it.
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (
        $kind:expr, $function:expr, $given:expr, $category:expr, $color:expr, $package:expr, $file:expr, $line:expr,
        $column:expr, $places:expr, $index:expr, $relative:expr, $absolute:expr, $generated:expr, $by:expr
    ) => {{
        static SITE: $crate::__private::Site = $crate::__private::Site::new($crate::__private::Spot {
            kind: $kind,
            function: $function,
            given: $given,
            category: $category,
            color: $color,
            module: ::core::module_path!(),
            package: $package,
            file: &$crate::__private::File::of($file, $relative, $absolute, $generated),
            line: $line,
            column: $column,
            twin: $crate::__private::twin($places, $index),
            by: $by,
        });
        &SITE
    }};
}

/// Looks at a stream that makes its builder in the launch's own expression.
#[doc(hidden)]
#[macro_export]
macro_rules! __see_stream {
    ($call:expr, $place:expr) => {
        if let ::core::option::Option::Some(slot) = $crate::__private::Call::looking(&mut $call) {
            use $crate::__private::{NoStream as _, OneStream as _};
            (&&$crate::__private::Place($place)).launchsite_stream(slot);
        }
    };
}

/// Looks at a receiver that is a place, where that is of use.
#[doc(hidden)]
#[macro_export]
macro_rules! __see {
    ($call:expr, $place:expr) => {
        if let ::core::option::Option::Some(slot) = $crate::__private::Call::looking(&mut $call) {
            use $crate::__private::{SeeBehind as _, SeeFarBehind as _, SeeItself as _, SeeNothing as _};
            (&&&&$crate::__private::Place($place)).launchsite_see(slot);
        }
    };
}

/// Looks at a graph that is a place, and enters its launch.
#[doc(hidden)]
#[macro_export]
macro_rules! __see_graph {
    ($call:expr, $place:expr, $site:expr, $instance:expr, $entry:expr) => {{
        use $crate::__private::{NoGraph as _, OneGraph as _};
        if (&&$crate::__private::Place($place)).launchsite_is_graph()
            && $crate::__private::Call::enters(&mut $call, $site, $instance, $entry)
        {
            let seen = (&&$crate::__private::Place($place)).launchsite_graph();
            $crate::__private::Call::open_graph(&mut $call, seen);
        }
    }};
}

/// Says which launch a builder is made for, where that is of use: to kernels that have a symbol at each site. Where there are
/// none, the site that stands in it costs the compiler nothing.
#[cfg(not(feature = "kernels"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __fetch {
    ($($site:tt)*) => {};
}

/// Says which launch a builder is made for, where that is of use.
#[cfg(feature = "kernels")]
#[doc(hidden)]
#[macro_export]
macro_rules! __fetch {
    ($site:expr, $instance:expr, $entry:expr, $from:expr) => {
        if $crate::__private::fetches() {
            $crate::__private::fetch_for($site, $instance, $entry, $from);
        }
    };
}

/// Looks at a stream whose capture ends.
#[doc(hidden)]
#[macro_export]
macro_rules! __see_capture {
    ($place:expr) => {{
        use $crate::__private::{NoCapture as _, OneCapture as _};
        (&&$crate::__private::Place($place)).launchsite_captured();
    }};
}

/// Around a launch whose arguments are out of reach: a library's own macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __around {
    ($call:expr, $kernel:expr, $site:expr, $instance:expr, $entry:expr, $launch:expr) => {
        // As an argument, the first of the two is let go of where the launch is left, and closes what is open.
        $crate::__private::Around::settle(
            $crate::__private::Call::around(&mut $call, $kernel, $site, $instance, $entry),
            $launch,
            |value| {
                use $crate::__private::{SomeResult as _, SomeValue as _};
                (&&$crate::__private::Outcome(value)).launchsite_is_ok()
            },
        )
    };
}

/// Notes the name that the launches of a function have.
#[doc(hidden)]
#[macro_export]
macro_rules! __enter_text {
    ($entry:expr, $text:expr) => {
        if $crate::__private::Entry::wants_text() {
            static TEXTS: $crate::__private::Texts = $crate::__private::Texts::new();
            $crate::__private::Entry::is_called(&mut $entry, &TEXTS, $text);
        }
    };
}
