//! Reports that nsys has not exported yet.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Result, Unreadable};

/// Lets nsys export `report` into `folder`, and says where the export is.
///
/// # Errors
/// There is no nsys, or it fails.
pub(super) fn export(report: &Path, folder: &Path) -> Result<PathBuf> {
    let exported = folder.join("report.sqlite");
    // From the root: a name that begins with a dash is no option.
    let report = std::path::absolute(report).map_err(|error| Unreadable(error.to_string()))?;
    let mut nsys = Command::new("nsys");
    let mut output = OsString::from("--output=");
    output.push(&exported);
    nsys.args(["export", "--type=sqlite", "--force-overwrite=true"]).arg(output).arg(report);
    let output = nsys.output().map_err(|error| {
        match error.kind() {
        io::ErrorKind::NotFound => Unreadable(
            "nsys is not on the PATH; it has to be, or do `nsys export --type sqlite` where it is and give me that file"
                .into(),
        ),
        _ => Unreadable(format!("nsys does not run: {error}")),
    }
    })?;
    if output.status.success() && exported.is_file() {
        return Ok(exported);
    }
    let said = [output.stderr, output.stdout].map(|said| String::from_utf8_lossy(&said).into_owned());
    let last = said.iter().flat_map(|said| said.lines().rev()).map(str::trim).find(|line| !line.is_empty());
    Err(Unreadable(format!("nsys export: {}: {}", output.status, last.unwrap_or("it says nothing"))))
}
