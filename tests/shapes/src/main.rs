//! Calls every launch shape, as often as it takes to pass all its sites, on the scripted driver.
//!
//! It says on stdout what each gave, and marks in the driver's log where each begins. Once as it is, and once where the
//! driver refuses the first launch that the shape makes.

mod attrs;
mod builders;
mod control;
mod foreign;
mod generics;
mod helpers;
mod lookalikes;
mod low_level;
mod receivers;
mod results;
mod rig;
mod streams;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rig::{Rig, Script};

/// A shape by the number that it has in the README, and what a call of it gave, as text.
type Shape = (&'static str, fn(&Rig) -> String);

fn main() {
    // What panics is said with the result.
    std::panic::set_hook(Box::new(|_| ()));
    let script = Script::new();
    let rooms = [
        builders::SHAPES,
        results::SHAPES,
        control::SHAPES,
        generics::SHAPES,
        receivers::SHAPES,
        attrs::SHAPES,
        low_level::SHAPES,
        helpers::SHAPES,
        streams::SHAPES,
        lookalikes::SHAPES,
    ];
    for round in ["plain", "refused"] {
        for (shape, call) in rooms.concat() {
            // Of its own, so that nothing of a shape that panicked is left to another.
            let rig = Rig::new();
            script.mark(shape, round);
            if round == "refused" {
                script.refuse_next_launch();
            }
            let given = catch_unwind(AssertUnwindSafe(|| call(&rig)));
            script.relent();
            let given = given.unwrap_or_else(|panic| format!("panicked: {}", message(&*panic)));
            println!("{shape} {round}: {given}");
        }
    }
    script.mark("end", "plain");
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("something else")
}
