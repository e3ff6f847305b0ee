//! A graph's name, and its launches by it.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

use super::CaptureStream;
use crate::launch::{Outcome, Replay, Seconds};
use crate::name::{By, File, Kind, Name, Spot, Texts, Twin, Variant};
use crate::own::own;
use crate::session::Active;
use crate::site::Site;

/// A graph's name: known from its first entry on, which is before the capture, while something is on.
#[derive(Debug, Default)]
pub(super) struct Named {
    name: Option<&'static Name>,
    seconds: Seconds,
}

/// The site of each place that enters a graph. Looked up where a graph is new.
type Sites = HashMap<usize, &'static Site>;
static SITES: Mutex<Option<Sites>> = Mutex::new(None);
static TEXTS: Texts = Texts::new();

impl Named {
    /// Works the name out, if one is wanted and it is not known: the one that is `given`, or that of the function that
    /// `function`, the `type_name` of a closure in it, tells of.
    #[inline]
    pub(super) fn settle(
        &mut self,
        given: Option<&str>,
        place: &'static Location<'static>,
        function: fn() -> &'static str,
    ) {
        if self.name.is_none() && !Active::load().is_nothing() {
            self.work_out(given, place, function);
        }
    }

    #[cold]
    fn work_out(&mut self, given: Option<&str>, place: &'static Location<'static>, function: fn() -> &'static str) {
        let named = own(|| {
            if Active::load().settled().is_nothing() {
                return None;
            }
            let text = given.and_then(|given| TEXTS.keep(format_args!("{given}")));
            Some(site(place, function()).name(function, Variant { text, caller: Some(place), ..Variant::NONE }))
        });
        self.name = named.flatten();
    }

    /// Launches `graph`, in its range and between its events; or in its place, where it is timed inside, its second executable.
    pub(super) fn launch<S: CaptureStream>(&mut self, stream: &S, graph: &S::Graph) -> Result<(), S::Error> {
        let Some(name) = self.name.filter(|_| !Active::load().is_nothing()) else { return stream.launch(graph) };
        let seen = stream.__seen(graph);
        let mut replay = Replay::begin(name, seen.seen, seen.graph);
        let launched = if replay.launch_second(&mut self.seconds) { Ok(()) } else { stream.launch(graph) };
        let outcome = if launched.is_ok() { Outcome::Launched } else { Outcome::Failed };
        replay.end(outcome, &mut self.seconds);
        launched
    }

    /// The graph is no more: another one may have its place.
    pub(super) fn forget(&mut self) {
        self.seconds = Seconds::default();
    }
}

fn site(place: &'static Location<'static>, function: &'static str) -> &'static Site {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    sites.get_or_insert_default().entry(std::ptr::from_ref(place).addr()).or_insert_with(|| {
        let module =
            function.split("::{{").next().and_then(|path| path.rsplit_once("::")).map_or("", |(module, _)| module);
        Box::leak(Box::new(Site::new(Spot {
            kind: Kind::Graph,
            function: "Graph",
            given: "",
            category: "",
            color: None,
            module,
            package: package(function, place.file()),
            file: Box::leak(Box::new(File::of(place.file(), "", "", ""))),
            line: place.line(),
            column: place.column(),
            twin: Twin::None,
            by: By::Caller,
        })))
    })
}

/// Where the compiler runs in the package's own folder, the crate's name stands for that of the package, which nothing tells.
fn package(function: &'static str, file: &str) -> &'static str {
    let name = function.split("::").next().unwrap_or_default().trim_start_matches('<');
    if file.starts_with("src/") { name } else { "" }
}
