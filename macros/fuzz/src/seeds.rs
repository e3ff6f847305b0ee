//! Real functions, to be changed.

use std::path::Path;
use std::{fs, io};

use quote::ToTokens;
use syn::{ImplItem, Item, TraitItem};

use crate::entropy::Entropy;

/// Functions and `impl` blocks, as text.
#[derive(Clone, Debug, Default)]
pub struct Seeds(Vec<String>);

/// Longer ones would slow down all others, and have no syntax that the shorter do not have.
const LONGEST: usize = 6000;

impl Seeds {
    /// The functions of `seeds/`, written for this.
    #[must_use]
    pub fn own() -> Self {
        let mut seeds = Self::default();
        for text in [
            include_str!("../seeds/builders.rs"),
            include_str!("../seeds/driver.rs"),
            include_str!("../seeds/places.rs"),
            include_str!("../seeds/syntax.rs"),
        ] {
            seeds.take(text);
        }
        seeds
    }

    /// All functions below `folder`, but for files that do not parse.
    ///
    /// # Errors
    /// A folder or file cannot be read.
    pub fn read(&mut self, folder: &Path) -> io::Result<()> {
        let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
        // The order of a folder is the file system's.
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                self.read(&path)?;
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                self.take(&String::from_utf8_lossy(&fs::read(&path)?));
            }
        }
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub(crate) fn pick(&self, entropy: &mut Entropy<'_>) -> String {
        entropy.pick(&self.0).cloned().unwrap_or_default()
    }

    fn take(&mut self, text: &str) {
        let file = syn::parse_file(text);
        file.into_iter().flat_map(|file| file.items).for_each(|item| self.item(&item));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(function) => self.keep(function),
            Item::Mod(module) => module.content.iter().flat_map(|(_, items)| items).for_each(|item| self.item(item)),
            Item::Impl(block) => {
                self.keep(block);
                for part in &block.items {
                    if let ImplItem::Fn(method) = part {
                        self.keep(method);
                    }
                }
            }
            Item::Trait(definition) => {
                for part in &definition.items {
                    if let TraitItem::Fn(method) = part {
                        self.keep(method);
                    }
                }
            }
            _ => {}
        }
    }

    fn keep(&mut self, tokens: &impl ToTokens) {
        let text = tokens.to_token_stream().to_string();
        if text.len() <= LONGEST {
            self.0.push(text);
        }
    }
}
