//! The copies of one kernel: one for each place that uses it, made when it does so first.

use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use cudarc::driver::{CudaContext, CudaFunction, DriverError};
use cudarc::nvrtc::Ptx;

use super::loaded::Table;
use crate::device::cuda;
use crate::here;
use crate::name::{self, Name, Symbols};
use crate::own::own;
use crate::process::complain;
use crate::ptx;
use crate::session::Active;

type Setting = Box<dyn Fn(&CudaFunction) -> Result<(), DriverError> + Send + Sync>;

pub(super) struct Copies {
    context: Arc<CudaContext>,
    text: Arc<str>,
    kernel: String,
    copy: ptx::Copy,
    table: Table,
    made: Mutex<Made>,
}

/// What only the first use of a place looks at, and what goes for all of them.
#[derive(Default)]
struct Made {
    by_symbol: HashMap<String, Option<CudaFunction>>,
    settings: Vec<Setting>,
}

/// Where a kernel is used.
#[derive(Clone, Copy)]
enum Place {
    Launch(&'static Name),
    Line(&'static Location<'static>),
}

/// All symbols of the process: no two places have one.
static SYMBOLS: LazyLock<Mutex<Symbols>> = LazyLock::new(Mutex::default);

impl Copies {
    pub(super) fn new(context: &Arc<CudaContext>, text: &Arc<str>, kernel: &str, copy: ptx::Copy) -> Self {
        Self {
            context: Arc::clone(context),
            text: Arc::clone(text),
            kernel: kernel.to_owned(),
            copy,
            table: Table::new(),
            made: Mutex::default(),
        }
    }

    /// The copy of the place, unless there is none.
    #[inline]
    pub(super) fn at(&self, location: &'static Location<'static>) -> Option<&CudaFunction> {
        if !Active::load().symbols() {
            return None;
        }
        let place = here::around(location).map_or(Place::Line(location), Place::Launch);
        match self.table.get(place.key()) {
            Some(known) => known.function(),
            None => self.first_at(place),
        }
    }

    /// What goes for the copies that there are, and for those to come.
    pub(super) fn set(&self, setting: Setting) {
        let mut made = self.made();
        for function in made.by_symbol.values().flatten() {
            self.apply(&setting, function);
        }
        made.settings.push(setting);
    }

    #[cold]
    #[inline(never)]
    fn first_at(&self, place: Place) -> Option<&CudaFunction> {
        // Its own doing inside, an allocator's launch for one, takes the kernel as it is.
        own(|| {
            let mut made = self.made();
            if self.table.get(place.key()).is_none() {
                let symbol = place.symbol(&self.kernel);
                // The compiler may have noted one place twice.
                let known = made.by_symbol.get(&symbol).cloned();
                let function = known.unwrap_or_else(|| self.load(&symbol, &made.settings));
                made.by_symbol.insert(symbol, function.clone());
                self.table.put(place.key(), function);
            }
        })?;
        self.table.get(place.key())?.function()
    }

    /// Loads a copy under the name `symbol`.
    fn load(&self, symbol: &str, settings: &[Setting]) -> Option<CudaFunction> {
        let refused = |why: &dyn fmt::Display| {
            complain(&format!("the kernel {} keeps its name where it would be {symbol}: {why}", self.kernel));
        };
        let Some(text) = self.copy.named(&self.text, symbol) else {
            refused(&"the module has something else of that name");
            return None;
        };
        let loaded = self.apart(|| self.context.load_module(Ptx::from_src(text))?.load_function(symbol));
        let function = loaded.inspect_err(|error| refused(error)).ok()?;
        for setting in settings {
            self.apply(setting, &function);
        }
        Some(function)
    }

    fn apply(&self, setting: &Setting, function: &CudaFunction) {
        if let Err(error) = self.apart(|| setting(function)) {
            complain(&format!("a copy of the kernel {} is without one of its attributes: {error}", self.kernel));
        }
    }

    /// Runs `work`, which is our own: a capture of the program's goes on, and an error that cudarc keeps for the program is
    /// kept.
    fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let kept = self.context.check_err();
        let done = cuda::relaxed(work);
        self.context.record_err(kept);
        done
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    #[inline]
    fn key(self) -> usize {
        match self {
            Self::Launch(name) => std::ptr::from_ref(name).addr(),
            Self::Line(location) => std::ptr::from_ref(location).addr(),
        }
    }

    fn symbol(self, kernel: &str) -> String {
        let mut symbols = SYMBOLS.lock().unwrap_or_else(PoisonError::into_inner);
        match self {
            Self::Launch(name) => {
                let label = &name.label;
                let outside = label.caller.as_ref().and_then(|caller| caller.rsplit_once(':'));
                let outside = outside.and_then(|(file, line)| Some((file, line.parse().ok()?)));
                let (file, line) = outside.unwrap_or((label.file.as_str(), label.line));
                symbols.of(&label.function, file, line, label.column)
            }
            Self::Line(at) => symbols.of(kernel, &name::by_layout(at.file()), at.line(), at.column()),
        }
    }
}
