//! JSON lines: a record a line, each written whole.

mod file;
mod json;
mod labels;

use std::fs::File;
use std::io::{ErrorKind, Write};

use crate::config::Place;
use crate::fields::{Fields, Value as FieldValue};
use crate::process;
use crate::record::{
    Accuracy, End, GpuTime, Graph, Kind, Launch, LaunchGpu, NodeGpu, Record, SampledOut, Session, Sink, Stream,
};
pub(crate) use json::Object;
use json::key;
use labels::Labels;

/// A writer of JSON lines.
pub(crate) struct JsonLines {
    file: Option<File>,
    /// The most that goes into one write: what is shared with the program must not be torn by what it prints.
    piece: usize,
    /// Whole lines that are to be written.
    lines: Vec<u8>,
    /// What the ids of launches have in common.
    session: (u64, u64),
    labels: Labels,
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
        Ok(Self {
            file: Some(file::open(place)?),
            piece,
            lines: Vec::with_capacity(2 * BLOCK),
            session: (0, 0),
            labels: Labels::default(),
        })
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
        line.number(key!("format"), 1);
        line.text(key!("session"), &session.session);
        line.number(key!("pid"), session.pid.into());
        line.text(key!("host"), &session.host);
        line.number_or_null(key!("rank"), session.rank);
        line.number(key!("start_unix_ns"), session.start_unix_ns);
        line.number_or_null(key!("anchor_uncertainty_ns"), session.anchor_uncertainty_ns);
        line.list(key!("devices"), &session.devices, |item, device| {
            item.number(key!("device"), device.device.into());
            item.text(key!("name"), &device.name);
            item.text_or_null(key!("uuid"), device.uuid.as_deref());
        });
        line.close();
    }

    fn stream(&mut self, stream: Stream) {
        let mut line = Object::open(&mut self.lines, "stream");
        line.number(key!("stream"), stream.stream.into());
        line.number_or_null(key!("device"), stream.device.map(u64::from));
        line.text(key!("kind"), stream.kind);
        line.close();
    }

    fn graph(&mut self, graph: &Graph) {
        let mut line = Object::open(&mut self.lines, "graph");
        line.number(key!("graph"), graph.graph.into());
        line.number(key!("device"), graph.device.into());
        line.number_or_null(key!("kernels"), graph.kernels.map(u64::from));
        if let Some(why) = &graph.nodes_reason {
            line.text(key!("nodes_reason"), why);
        }
        line.list(key!("sites"), &graph.sites, |item, site| {
            item.text(key!("name"), &site.label.name);
            item.number(key!("kernels"), site.kernels.into());
        });
        line.close();
    }

    fn launch(&mut self, launch: &Launch<'_>) {
        let id = id(self.session, launch.number);
        let mut line = Object::open(&mut self.lines, launch.kind.word());
        line.id(key!("trace_event_id"), id);
        line.number(key!("number"), launch.number);
        line.members(&self.labels.of(launch.label).place);
        line.number(key!("thread"), launch.thread);
        line.number(key!("start_ns"), launch.start_ns);
        line.number(key!("stop_ns"), launch.stop_ns);
        line.number(key!("overhead_ns"), launch.overhead_ns);
        line.number_or_null(key!("device"), launch.device.map(u64::from));
        line.number_or_null(key!("stream"), launch.stream.map(u64::from));
        if launch.kind == Kind::Kernel {
            line.text_or_null(key!("kernel"), launch.kernel);
        }
        if launch.kind == Kind::Graph {
            line.number_or_null(key!("graph"), launch.graph.map(|graph| graph.graph.into()));
            line.number_or_null(key!("kernels"), launch.graph.and_then(|graph| graph.kernels).map(u64::from));
            if let Some(why) = launch.graph_reason {
                line.text(key!("graph_reason"), why);
            }
        }
        if let Some(geometry) = launch.geometry {
            line.numbers(key!("grid"), geometry.grid);
            line.numbers(key!("block"), geometry.block);
            line.number(key!("shared_mem_bytes"), geometry.shared_mem_bytes.into());
        }
        line.word(key!("mode"), launch.mode.word());
        if let Some(reason) = launch.reason {
            line.text(key!("reason"), reason);
        }
        line.id_or_null(key!("parent"), launch.parent.map(|parent| self::id(self.session, parent)));
        if let Some(flops) = launch.flops() {
            line.amount(key!("flops"), flops);
        }
        if let Some(bytes) = launch.bytes() {
            line.amount(key!("bytes"), bytes);
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
        line.id(key!("trace_event_id"), id);
        line.members(&self.labels.of(timed.label).name);
        line.number_or_null(key!("device"), timed.device.map(u64::from));
        line.number_or_null(key!("stream"), timed.stream.map(u64::from));
        duration(&mut line, &timed.time);
        fields(&mut line, timed.fields);
        line.close();
    }

    fn node_gpu(&mut self, timed: &NodeGpu<'_>) {
        let parent = id(self.session, timed.parent);
        let mut line = Object::open(&mut self.lines, "node_gpu");
        line.id(key!("parent"), parent);
        line.number(key!("graph"), timed.graph.into());
        line.number(key!("node"), timed.node.into());
        line.text_or_null(key!("name"), timed.label.map(|label| label.name.as_str()));
        line.text_or_null(key!("kernel"), timed.kernel);
        line.number(key!("device"), timed.device.into());
        line.number_or_null(key!("stream"), timed.stream.map(u64::from));
        duration(&mut line, &timed.time);
        line.close();
    }

    fn sampled_out(&mut self, left_out: SampledOut) {
        let mut line = Object::open(&mut self.lines, "sampled_out");
        line.text(key!("name"), &left_out.label.name);
        line.number(key!("count"), left_out.count);
        line.close();
    }

    fn end(&mut self, end: &End) {
        let mut line = Object::open(&mut self.lines, "end");
        line.number(key!("launches"), end.launches);
        line.number(key!("timed"), end.timed);
        line.number(key!("sampled_out"), end.sampled_out);
        line.number(key!("lost"), end.lost);
        line.object(key!("lost_by_reason"), |item| {
            for (why, count) in &end.lost_by_reason {
                item.number(*why, *count);
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
            Record::Graph(graph) => self.graph(graph),
            Record::Launch(launch) => self.launch(launch),
            Record::LaunchGpu(timed) => self.launch_gpu(timed),
            Record::NodeGpu(timed) => self.node_gpu(timed),
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

/// A time, or why there is none.
fn duration(line: &mut Object<'_>, time: &Result<GpuTime, &str>) {
    let time = match time {
        Ok(time) => time,
        Err(why) => return line.text(key!("error"), why),
    };
    line.number(key!("gpu_duration_ns"), time.duration_ns);
    line.number(key!("raw_duration_ns"), time.raw_duration_ns);
    if let (Some(start), Some(stop)) = (time.start_ns, time.stop_ns) {
        line.signed(key!("start_ns"), start);
        line.signed(key!("stop_ns"), stop);
    }
    line.word(key!("accuracy"), time.accuracy.word());
    if let Accuracy::UpperBound(doubt) = time.accuracy {
        line.text(key!("reason"), doubt.words());
    }
}

fn fields(line: &mut Object<'_>, fields: Fields) {
    line.object(key!("fields"), |item| {
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
