//! JSON lines: a record a line, each written whole.

mod file;
mod json;

use std::fs::File;
use std::io::{ErrorKind, Write};

use crate::config::Place;
use crate::fields::{Fields, Value as FieldValue};
use crate::process;
use crate::record::{Accuracy, End, Kind, Label, Launch, LaunchGpu, Record, SampledOut, Session, Sink, Stream};
pub(crate) use json::Object;

/// A writer of JSON lines.
pub(crate) struct JsonLines {
    file: Option<File>,
    /// The most that goes into one write: what is shared with the program must not be torn by what it prints.
    piece: usize,
    /// Whole lines that are to be written.
    lines: Vec<u8>,
    /// What the ids of launches have in common.
    session: (u64, u64),
}

/// Written when so much has gathered, and whenever the collector has nothing else to do.
const BLOCK: usize = 64 * 1024;
/// What a pipe takes as a whole, `PIPE_BUF` of Linux (pipe(7)).
const WHOLE: usize = 4096;

impl JsonLines {
    /// # Errors
    /// The file cannot be written: in words for the user.
    pub(crate) fn open(place: &Place) -> Result<Self, String> {
        let piece = if *place == Place::Stdout { WHOLE } else { usize::MAX };
        Ok(Self { file: Some(file::open(place)?), piece, lines: Vec::with_capacity(2 * BLOCK), session: (0, 0) })
    }

    fn write(&mut self) {
        let mut rest = self.lines.as_slice();
        while let (Some(file), false) = (&mut self.file, rest.is_empty()) {
            let (piece, behind) = rest.split_at(whole_lines(rest, self.piece));
            rest = behind;
            if let Err(error) = write_all(file, piece) {
                process::complain(&format!("LAUNCHSITE_OUT: cannot write ({error}); going on without it"));
                self.file = None;
            }
        }
        self.lines.clear();
    }

    fn session(&mut self, session: &Session) {
        let id = uuid::Uuid::parse_str(&session.session).unwrap_or_default();
        self.session = id.as_u64_pair();
        let mut line = Object::open(&mut self.lines, "session");
        line.number("format", 1);
        line.text("session", &session.session);
        line.number("pid", session.pid.into());
        line.text("host", &session.host);
        line.number_or_null("rank", session.rank);
        line.number("start_unix_ns", session.start_unix_ns);
        line.number_or_null("anchor_uncertainty_ns", session.anchor_uncertainty_ns);
        line.list("devices", &session.devices, |item, device| {
            item.number("device", device.device.into());
            item.text("name", &device.name);
            item.text_or_null("uuid", device.uuid.as_deref());
        });
        line.close();
    }

    fn stream(&mut self, stream: Stream) {
        let mut line = Object::open(&mut self.lines, "stream");
        line.number("stream", stream.stream.into());
        line.number_or_null("device", stream.device.map(u64::from));
        line.text("kind", stream.kind);
        line.close();
    }

    fn launch(&mut self, launch: &Launch<'_>) {
        let id = id(self.session, launch.number);
        let mut line = Object::open(&mut self.lines, launch.kind.word());
        line.id("trace_event_id", id);
        line.number("number", launch.number);
        label(&mut line, launch.label);
        line.text_or_null("caller", launch.label.caller.as_deref());
        line.number("thread", launch.thread);
        line.number("start_ns", launch.start_ns);
        line.number("stop_ns", launch.stop_ns);
        line.number("overhead_ns", launch.overhead_ns);
        line.number_or_null("device", launch.device.map(u64::from));
        line.number_or_null("stream", launch.stream.map(u64::from));
        if launch.kind == Kind::Kernel {
            line.text_or_null("kernel", launch.kernel);
        }
        if let Some(geometry) = launch.geometry {
            line.numbers("grid", geometry.grid);
            line.numbers("block", geometry.block);
            line.number("shared_mem_bytes", geometry.shared_mem_bytes.into());
        }
        line.text("mode", launch.mode.word());
        if let Some(reason) = launch.reason {
            line.text("reason", reason);
        }
        line.id_or_null("parent", launch.parent.map(|parent| self::id(self.session, parent)));
        for (key, amount) in [("flops", launch.flops()), ("bytes", launch.bytes())] {
            if let Some(amount) = amount {
                line.amount(key, amount);
            }
        }
        fields(&mut line, launch.fields);
        line.close();
    }

    fn launch_gpu(&mut self, timed: &LaunchGpu<'_>) {
        let id = id(self.session, timed.number);
        let scope = match timed.kind {
            Kind::Kernel => "launch_gpu",
            Kind::Graph => "graph_launch_gpu",
            Kind::Scope => "scope_gpu",
        };
        let mut line = Object::open(&mut self.lines, scope);
        line.id("trace_event_id", id);
        line.text("name", &timed.label.name);
        line.number_or_null("device", timed.device.map(u64::from));
        line.number_or_null("stream", timed.stream.map(u64::from));
        match &timed.time {
            Ok(time) => {
                line.number("gpu_duration_ns", time.duration_ns);
                line.number("raw_duration_ns", time.raw_duration_ns);
                if let (Some(start), Some(stop)) = (time.start_ns, time.stop_ns) {
                    line.signed("start_ns", start);
                    line.signed("stop_ns", stop);
                }
                line.text("accuracy", time.accuracy.word());
                if let Accuracy::UpperBound(doubt) = time.accuracy {
                    line.text("reason", doubt.words());
                }
            }
            Err(why) => line.text("error", why),
        }
        fields(&mut line, timed.fields);
        line.close();
    }

    fn sampled_out(&mut self, left_out: SampledOut) {
        let mut line = Object::open(&mut self.lines, "sampled_out");
        line.text("name", &left_out.label.name);
        line.number("count", left_out.count);
        line.close();
    }

    fn end(&mut self, end: &End) {
        let mut line = Object::open(&mut self.lines, "end");
        line.number("launches", end.launches);
        line.number("timed", end.timed);
        line.number("sampled_out", end.sampled_out);
        line.number("lost", end.lost);
        line.object("lost_by_reason", |item| {
            for (why, count) in &end.lost_by_reason {
                item.number(why, *count);
            }
        });
        let beside = [("graph_launches", end.graph_launches), ("scopes", end.scopes), ("lost_beside", end.lost_beside)];
        // What does not apply is absent.
        for (key, count) in beside.into_iter().filter(|&(_, count)| count > 0) {
            line.number(key, count);
        }
        line.close();
    }
}

impl Sink for JsonLines {
    fn record(&mut self, record: &Record<'_>) {
        match record {
            Record::Session(session) => self.session(session),
            Record::Stream(stream) => self.stream(*stream),
            Record::Launch(launch) => self.launch(launch),
            Record::LaunchGpu(timed) => self.launch_gpu(timed),
            Record::SampledOut(left_out) => self.sampled_out(*left_out),
            Record::End(end) => self.end(end),
        }
        if self.lines.len() >= BLOCK {
            self.write();
        }
    }

    fn flush(&mut self) {
        if !self.lines.is_empty() {
            self.write();
        }
    }
}

/// As the method of that name, also for a descriptor that the program made one that does not wait.
fn write_all(file: &mut File, mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => process::wait_to_write(file),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// How many bytes the lines have that fit into `most`; a line that does not fit goes alone.
fn whole_lines(lines: &[u8], most: usize) -> usize {
    let end = |at: usize| at + 1;
    let newline = |&byte: &u8| byte == b'\n';
    let fitting = lines.get(..most.min(lines.len())).and_then(|part| part.iter().rposition(newline));
    fitting.or_else(|| lines.iter().position(newline)).map_or(lines.len(), end)
}

fn label(line: &mut Object<'_>, label: &Label) {
    line.text("name", &label.name);
    line.text("function", &label.function);
    line.text("module", label.module);
    line.text("file", &label.file);
    line.number("line", label.line.into());
    line.number("column", label.column.into());
}

fn fields(line: &mut Object<'_>, fields: Fields) {
    line.object("fields", |item| {
        for (name, value) in fields.iter() {
            match value {
                FieldValue::Bool(value) => item.raw(name, if *value { "true" } else { "false" }),
                FieldValue::Signed(value) => item.signed(name, *value),
                FieldValue::Unsigned(value) => item.number(name, *value),
                FieldValue::Float(value) => item.float(name, *value),
                FieldValue::Text(value) => item.text(name, value),
            }
        }
    });
}

/// A UUID of version 8 (RFC 9562), which is the application's own: the session's bits, and the launch's number added.
fn id((high, low): (u64, u64), number: u64) -> (u64, u64) {
    const VERSION: u64 = 0xf000;
    const VARIANT: u64 = 0b11 << 62;
    let high = (high & !VERSION) | 0x8000;
    let low = (low.wrapping_add(number) & !VARIANT) | (0b10 << 62);
    (high, low)
}

#[cfg(test)]
mod tests {
    use super::whole_lines;

    #[test]
    fn pieces_end_with_lines() {
        let table: [(&[u8], usize, usize); 6] = [
            (b"ab\ncd\n", 9, 6),
            (b"ab\ncd\n", 6, 6),
            (b"ab\ncd\n", 5, 3),
            (b"ab\ncd\n", 1, 3),
            (b"ab", 9, 2),
            (b"", 9, 0),
        ];
        for (lines, most, expected) in table {
            assert_eq!(whole_lines(lines, most), expected, "{lines:?} {most}");
        }
    }
}
