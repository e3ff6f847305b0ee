//! The file that calls are written down in, and what is around each call.

use std::ffi::c_int;
use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::{env, process};

use crate::abi::{Done, Status};
use crate::script;
use crate::streams::Key;

unsafe extern "C" {
    safe fn gettid() -> c_int;
}

pub(crate) fn thread_id() -> c_int {
    gettid()
}

/// What a line says of a call, besides its name, its thread and its status.
#[derive(Debug, Default)]
pub(crate) struct Told(String);

impl Told {
    pub(crate) fn number(&mut self, key: &str, value: impl Display) -> &mut Self {
        // A string takes all that is written.
        let _ = write!(self.0, r#","{key}":{value}"#);
        self
    }

    /// `value` is a name, of letters that JSON takes as they are.
    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        let _ = write!(self.0, r#","{key}":{value:?}"#);
        self
    }

    pub(crate) fn stream(&mut self, key: Key) -> &mut Self {
        self.number("context", key.context).number("stream", key.handle)
    }
}

/// A call of the function `name`: refused if a script says so, else what `work` does; and written down.
pub(crate) fn call(name: &'static str, work: impl FnOnce(&mut Told) -> Done) -> Status {
    let mut told = Told::default();
    let status = match script::refusal(name) {
        Some(status) => status,
        None => work(&mut told).err().map_or(0, |refused| refused.0),
    };
    write(name, &told.0, status);
    status
}

fn write(name: &str, told: &str, status: Status) {
    static LOG: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = env::var_os("SCRIPTED_DRIVER_LOG")?;
        Some(File::options().append(true).create(true).open(path).unwrap_or_else(|why| give_up(why)))
    };
    let Some(mut log) = LOG.get_or_init(open).as_ref() else { return };
    let line = format!("{{\"call\":\"{name}\",\"thread\":{},\"status\":{status}{told}}}\n", thread_id());
    // One write to a file in append mode: lines never mix.
    if let Err(why) = log.write_all(line.as_bytes()) {
        give_up(why);
    }
}

/// Going on without the line, or without the script, would let a test pass that has seen nothing.
pub(crate) fn give_up(why: impl Display) -> ! {
    let _ = writeln!(io::stderr(), "scripted_driver: {why}");
    process::abort();
}
