//! A program of the `scenario` binary, and what became of it.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::calls::{Calls, scripted_driver, tool};
use crate::folder::Folder;
use crate::records::Records;

/// The output that [`Scenario::out`] asks for.
pub const TRACE: &str = "trace.jsonl";
const TOOL_LOG: &str = "nvtx.log";
const DRIVER_LOG: &str = "driver.log";

/// Behind this a program hangs. Far more than any takes on a busy machine, since none is to fail by being slow.
const DEADLINE: Duration = Duration::from_secs(120);

/// A program that is to be run.
#[derive(Debug)]
pub struct Scenario {
    command: Command,
    folder: Folder,
    reader: Reader,
}

/// How the program's stdout is read.
#[derive(Clone, Copy, Debug)]
enum Reader {
    Fast,
    /// A little at a time, so that the pipe is full most of the time.
    Slow,
    /// Not at all: the pipe has no other end.
    Gone,
}

impl Scenario {
    /// The scenario `name` of the binary `program`; the macro [`scenario!`](crate::scenario) knows where that is.
    pub fn new(program: &str, name: &str) -> Self {
        let folder = Folder::new();
        let mut command = Command::new(program);
        command.arg(name).current_dir(folder.path()).env_clear();
        for kept in ["PATH", "LD_LIBRARY_PATH", "HOME"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        Self { command, folder, reader: Reader::Fast }
    }

    /// With one argument more.
    #[must_use]
    pub fn arg(mut self, argument: &impl ToString) -> Self {
        self.command.arg(argument.to_string());
        self
    }

    /// With a variable in its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// With JSON lines in [`TRACE`].
    #[must_use]
    pub fn out(self) -> Self {
        self.env("LAUNCHSITE_OUT", TRACE)
    }

    /// With the recording NVTX tool.
    #[must_use]
    pub fn tool(self) -> Self {
        self.env("NVTX_INJECTION64_PATH", tool()).env("NVTX_TOOL_LOG", TOOL_LOG)
    }

    /// With the scripted driver as the CUDA driver.
    #[must_use]
    pub fn driver(self) -> Self {
        let libraries = self.folder.inner("libraries");
        std::os::unix::fs::symlink(scripted_driver(), libraries.join("libcuda.so")).expect("a name for the driver");
        self.env("LD_LIBRARY_PATH", libraries).env("SCRIPTED_DRIVER_LOG", DRIVER_LOG)
    }

    /// With both, and so with the calls of both in their order.
    #[must_use]
    pub fn driver_and_tool(self) -> Self {
        self.tool().driver().env("NVTX_TOOL_LOG", DRIVER_LOG)
    }

    /// With the file `name` in its folder.
    #[must_use]
    pub fn file(self, name: &str, text: &str) -> Self {
        self.folder.write(name, text);
        self
    }

    /// With a stdout that is read so slowly that it is full most of the time.
    #[must_use]
    pub fn slow_reader(mut self) -> Self {
        self.reader = Reader::Slow;
        self
    }

    /// With a stdout that nobody reads any more.
    #[must_use]
    pub fn no_reader(mut self) -> Self {
        self.reader = Reader::Gone;
        self
    }

    /// The folder that the program will run in.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Runs it with an output. It ends well, says nothing on stderr, and its records are in form.
    pub fn checked(self) -> (Outcome, Records) {
        let run = self.out().run().success();
        let records = run.records();
        (run, records)
    }

    /// As [`checked`](Self::checked), where the device refuses something: one line of ours is welcome.
    pub fn refused(self) -> (Outcome, Records) {
        let run = self.out().run().warned();
        let records = run.records();
        (run, records)
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// It hangs.
    pub fn run(mut self) -> Outcome {
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = self.command.spawn().expect("the scenario starts");
        let pid = child.id();
        let stdout = match self.reader {
            Reader::Gone => {
                drop(child.stdout.take());
                None
            }
            Reader::Fast => child.stdout.take().map(|pipe| read(pipe, false)),
            Reader::Slow => child.stdout.take().map(|pipe| read(pipe, true)),
        };
        let stderr = child.stderr.take().map(|pipe| read(pipe, false));
        let ended = wait(&mut child, began);
        // A grandchild that is left holds the pipes open: what it says is not waited for.
        let text = |pipe: Option<Receiver<String>>| {
            pipe.map_or_else(String::new, |pipe| pipe.recv_timeout(DEADLINE).unwrap_or_default())
        };
        let (stdout, stderr) = (text(stdout), text(stderr));
        let Some(status) = ended else {
            panic!("{:?} hung for {DEADLINE:?}\nstdout: {stdout}\nstderr: {stderr}", self.command);
        };
        Outcome { status, pid, stdout, stderr, took: began.elapsed(), folder: self.folder }
    }
}

fn wait(child: &mut Child, began: Instant) -> Option<ExitStatus> {
    while began.elapsed() < DEADLINE {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("the child is ours");
    child.wait().expect("the child is ours");
    None
}

fn read(mut pipe: impl Read + Send + 'static, slow: bool) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if slow {
            let mut piece = [0; 1000];
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                bytes.extend_from_slice(&piece[..count]);
                thread::sleep(Duration::from_micros(50));
            }
        } else {
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody listens any more where the test has failed.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// What a program did.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// The process id that it had.
    pub pid: u32,
    /// All that it wrote there.
    pub stdout: String,
    /// All that it wrote there.
    pub stderr: String,
    /// From its start to its end.
    pub took: Duration,
    folder: Folder,
}

impl Outcome {
    /// Asserts that it ended well and that stderr is empty, which is what a program without mistakes leaves.
    #[must_use]
    pub fn success(self) -> Self {
        assert!(self.status.success(), "{self:#?}");
        assert_eq!(self.stderr, "", "stderr of a run without mistakes");
        self
    }

    /// The one line on stderr, which is ours.
    pub fn complaint(&self) -> &str {
        let lines: Vec<_> = self.stderr.lines().collect();
        assert!(lines.len() == 1 && lines[0].starts_with("launchsite: "), "one line of ours: {:?}", self.stderr);
        lines[0]
    }

    /// Asserts that it ended well and that stderr has exactly one line, ours, with each of `words` in it.
    #[must_use]
    pub fn complains_once(self, words: &[&str]) -> Self {
        assert!(self.status.success(), "{self:#?}");
        for word in words {
            assert!(self.complaint().contains(word), "{word:?} in {:?}", self.complaint());
        }
        self
    }

    /// Asserts that it ended well, with at most one line on stderr, ours: where a device refuses, a warning is welcome.
    #[must_use]
    pub fn warned(self) -> Self {
        if self.stderr.is_empty() { self.success() } else { self.complains_once(&[]) }
    }

    /// The folder that it ran in.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// What it wrote to [`TRACE`], in form.
    pub fn records(&self) -> Records {
        self.records_in(TRACE)
    }

    /// What it wrote to the file `name`, in form.
    pub fn records_in(&self, name: &str) -> Records {
        let records = Records::parse(&self.folder.read(name));
        records.check_contract();
        records
    }

    /// What it wrote to [`TRACE`] before it ended in the middle, in form as far as it goes.
    pub fn records_so_far(&self) -> Records {
        let records = Records::parse(&self.folder.read(TRACE));
        records.check_open_contract();
        records
    }

    /// The calls that reached the NVTX tool; none where it was not loaded.
    pub fn calls(&self) -> Calls {
        let there = self.folder.names().iter().any(|name| name == TOOL_LOG);
        Calls::parse(&if there { self.folder.read(TOOL_LOG) } else { String::new() })
    }

    /// The calls that reached the scripted driver, and those of the tool that wrote into the same log.
    pub fn driver_calls(&self) -> Calls {
        Calls::parse(&self.folder.read(DRIVER_LOG))
    }

    /// The one value that it said about `what`.
    pub fn said(&self, what: &str) -> Value {
        let mut values = self.all_said(what);
        assert_eq!(values.len(), 1, "said once about {what}: {self:#?}");
        values.remove(0)
    }

    /// Every value that it said about `what`, in order.
    pub fn all_said(&self, what: &str) -> Vec<Value> {
        let lines = self.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["said"] == what).map(|mut line| line["value"].take()).collect()
    }
}
