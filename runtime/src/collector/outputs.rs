//! Everybody who is told of records: the table, the outputs of the environment, the program's own sinks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::config::Output;
use crate::jsonl::JsonLines;
use crate::own::lent;
use crate::process;
use crate::record::{Record, Session, Sink, Stream};

/// The sinks, and what one that comes late has to be told first.
#[derive(Default)]
pub(super) struct Outputs {
    sinks: Vec<Box<dyn Sink>>,
    session: Option<Session>,
    streams: Vec<Stream>,
    /// Sinks that panicked and are gone.
    pub(super) removed: u64,
}

impl Outputs {
    pub(super) fn open(outputs: &[Output]) -> Self {
        let mut opened = Self::default();
        for output in outputs {
            match output {
                Output::JsonLines(place) => match JsonLines::open(place) {
                    Ok(sink) => opened.sinks.push(Box::new(sink)),
                    Err(why) => process::complain(&format!("LAUNCHSITE_OUT: {why}; going on without it")),
                },
            }
        }
        opened
    }

    pub(super) fn add(&mut self, mut sink: Box<dyn Sink>) {
        let session = self.session.as_ref().map(Record::Session);
        let streams = self.streams.iter().map(|&stream| Record::Stream(stream));
        if session.into_iter().chain(streams).all(|record| told(&mut sink, |sink| sink.record(&record))) {
            self.sinks.push(sink);
        } else {
            removed(sink);
            self.removed += 1;
        }
    }

    pub(super) fn begin(&mut self, session: Session) {
        self.tell(&Record::Session(&session));
        self.session = Some(session);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.session.is_some()
    }

    pub(super) fn has_sinks(&self) -> bool {
        !self.sinks.is_empty()
    }

    pub(super) fn stream(&mut self, stream: Stream) {
        self.tell(&Record::Stream(stream));
        self.streams.push(stream);
    }

    pub(super) fn tell(&mut self, record: &Record<'_>) {
        self.each(|sink| sink.record(record));
    }

    pub(super) fn flush(&mut self) {
        self.each(|sink| sink.flush());
    }

    /// Ends the sinks: what they do when they are dropped is done before the session is over.
    pub(super) fn close(&mut self) {
        for sink in std::mem::take(&mut self.sinks) {
            dropped(sink);
        }
    }

    fn each(&mut self, tell: impl Fn(&mut dyn Sink)) {
        let mut next = 0;
        while let Some(sink) = self.sinks.get_mut(next) {
            if told(sink, &tell) {
                next += 1;
            } else {
                removed(self.sinks.remove(next));
                self.removed += 1;
            }
        }
    }
}

/// Whether the sink took it: one that panicked is to be [`removed`], and what it panicked with does not get out of here.
fn told(sink: &mut Box<dyn Sink>, tell: impl Fn(&mut dyn Sink)) -> bool {
    match catch_unwind(AssertUnwindSafe(|| lent(|| tell(sink.as_mut())))) {
        Ok(()) => true,
        Err(panic) => {
            std::mem::forget(panic);
            false
        }
    }
}

fn removed(sink: Box<dyn Sink>) {
    dropped(sink);
    process::complain("a sink panicked and is removed");
}

fn dropped(sink: Box<dyn Sink>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| lent(|| drop(sink)))) {
        std::mem::forget(panic);
    }
}
