//! A folder of a test's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A new folder, which is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// Makes one.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("launchsite-tests-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // What a killed test process with the same id left there.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of the files in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A new folder in it.
    pub fn inner(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir(&path).expect("the folder can be written");
        path
    }

    /// What the file `name` holds.
    pub fn read(&self, name: &str) -> String {
        let text = fs::read_to_string(self.0.join(name));
        text.unwrap_or_else(|why| panic!("{name} among {:?}: {why}", self.names()))
    }

    /// Makes the file `name` hold `text`.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("the folder can be written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
