//! The text of a module, as far as there is one.

use std::fmt::{self, Write};
use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::nvrtc::Ptx;

use super::copies::Copies;
use crate::process::complain;
use crate::ptx;
use crate::session::Active;

/// What copies are made from.
#[derive(Debug)]
pub(super) struct Image {
    text: Arc<str>,
}

impl Image {
    /// The text, if symbols are asked for. Where there is none, one line says so.
    pub(super) fn of(ptx: &Ptx) -> Option<Self> {
        if !Active::load().settled().symbols() {
            return None;
        }
        match text(ptx) {
            Ok(text) => Some(Self { text: text.into() }),
            Err(why) => {
                complain(&format!("the kernels of a module keep their names: {why}"));
                None
            }
        }
    }

    /// What the copies of the kernel `name` are made by. Where there can be none, one line says so.
    pub(super) fn copies(&self, context: &Arc<CudaContext>, name: &str) -> Option<Copies> {
        match ptx::Copy::of(&self.text, name) {
            Ok(copy) => Some(Copies::new(context, &self.text, name, copy)),
            Err(why) => {
                complain(&format!("the kernel {name} keeps its name: {why}"));
                None
            }
        }
    }
}

/// The module's text. Asking cudarc for it panics where there is none, and nothing else tells whether there is than how a
/// `Ptx` shows itself: as the name of its variant, in front of what it holds.
fn text(ptx: &Ptx) -> Result<String, &'static str> {
    let text = if let Some(image) = ptx.as_bytes() {
        let end = image.iter().position(|&byte| byte == 0).unwrap_or(image.len());
        image.get(..end).and_then(|text| String::from_utf8(text.to_vec()).ok())
    } else {
        match shown(ptx).as_str() {
            "Src" => Some(ptx.to_src()),
            "File" => {
                return Err("they come from a file, which cudarc reads by itself (`Ptx::from_src` takes its text)");
            }
            _ => None,
        }
    };
    // A fatbin or a cubin may be text by chance; PTX begins with its version, behind comments.
    text.filter(|text| text.contains(".version")).ok_or("their image is no PTX text")
}

/// The name of the variant in a `Ptx`.
fn shown(ptx: &Ptx) -> String {
    struct Variant(String);
    impl Write for Variant {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            match piece {
                "Ptx" | "(" => Ok(()),
                name => {
                    name.clone_into(&mut self.0);
                    // Enough: what follows may be megabytes.
                    Err(fmt::Error)
                }
            }
        }
    }
    let mut variant = Variant(String::new());
    let _ = write!(variant, "{ptx:?}");
    variant.0
}

#[cfg(test)]
mod tests {
    use cudarc::nvrtc::Ptx;

    use super::{shown, text};

    #[test]
    fn only_text_is_taken_for_text() {
        let source = ".version 8.1\n.target sm_60\n";
        assert_eq!(text(&Ptx::from_src(source)), Ok(source.to_owned()));
        assert_eq!(shown(&Ptx::from_src(source)), "Src");
        for other in [
            Ptx::from_binary(b"\x7fELF\xff\x00\x01".to_vec()),
            Ptx::from_binary(source.into()),
            Ptx::from_file("/nowhere/module.ptx"),
            Ptx::from_src("\u{7f}ELF"),
        ] {
            assert!(text(&other).is_err(), "{other:?}");
        }
    }
}
