//! The table of the shapes' README: what must hold for each.

use crate::expect::OUT_OF_SIGHT;

/// One line: number, function, shape, where it was seen, and what must hold.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) function: String,
    must: String,
}

pub(crate) fn parse(readme: &str) -> Vec<Row> {
    let is_id = |cell: &str| cell.len() == 3 && cell.starts_with('V') && cell[1..].parse::<u32>().is_ok();
    let cells = |line: &str| -> Vec<String> {
        // A bar inside a cell has a backslash in front.
        let line = line.replace("\\|", "\u{0}");
        line.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
    };
    let rows = readme.lines().map(cells).filter(|cells| cells.len() == 7 && is_id(&cells[1]));
    let rows: Vec<_> = rows
        .map(|cells| Row { id: cells[1].clone(), function: cells[2].replace('`', ""), must: cells[5].clone() })
        .collect();
    assert!(rows.len() >= 87, "{} rows in the table", rows.len());
    rows
}

impl Row {
    /// How many sites of kernels the function may have: "1 site", "0 or 1 site", "2 kernel sites".
    pub(crate) fn kernel_sites(&self, probe: bool) -> Vec<usize> {
        if let Some(with) = self.number_before("with `probe`").filter(|_| probe) {
            return vec![with];
        }
        // What is said only of launches is in the tokens of a macro of the program's own.
        let Some((first, mut counts)) = self.first_count() else { return Vec::new() };
        // "0 sites (why), or 1 with the stream unknown".
        counts.extend(self.must[first..].contains("or 1 with the stream unknown").then_some(1));
        let each = if self.must.contains("in each generated function") { self.function.split(',').count() } else { 1 };
        counts.iter().map(|count| count * each).collect()
    }

    pub(crate) fn graph_sites(&self) -> usize {
        self.number_before("graph site").unwrap_or(0)
    }

    /// Whether the line lets the stream be unknown.
    pub(crate) fn may_be_unknown(&self) -> bool {
        self.must.contains("unknown") || OUT_OF_SIGHT.contains(&self.id.as_str())
    }

    /// The first number of sites that are not of graphs, and where it stands.
    fn first_count(&self) -> Option<(usize, Vec<usize>)> {
        let at = ["kernel site", "site"].iter().find_map(|words| self.must.find(words))?;
        let mut words = self.must[..at].split_whitespace().rev();
        let last = words.next()?.parse().ok()?;
        let either = words.next().filter(|word| *word == "or").and_then(|_| words.next()?.parse().ok());
        Some((at, either.into_iter().chain([last]).collect()))
    }

    fn number_before(&self, words: &str) -> Option<usize> {
        let before = &self.must[..self.must.find(words)?];
        before.split_whitespace().next_back()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    fn row(function: &str, must: &str) -> Row {
        Row { id: "V00".to_owned(), function: function.to_owned(), must: must.to_owned() }
    }

    #[test]
    fn numbers_are_read_out_of_what_must_hold() {
        for (must, kernels, graphs) in [
            ("1 site; stream = the parameter", vec![1], 0),
            ("0 sites of the annotated function's own", vec![0], 0),
            ("0 or 1 site by choice", vec![0, 1], 0),
            ("0 sites (the launch is elsewhere), or 1 with the stream unknown; no result", vec![0, 1], 0),
            ("2 kernel sites that are recorded, and 1 graph site on the graph's own stream", vec![2], 1),
            ("1 kernel site and no more", vec![1], 0),
            ("a path call: 0 sites, or sites with the stream unknown", vec![0], 0),
            ("2 launches at run time's choice", vec![], 0),
        ] {
            let row = row("a", must);
            assert_eq!((row.kernel_sites(false), row.graph_sites()), (kernels, graphs), "{must}");
        }
        assert_eq!(row("a, b", "1 site in each generated function").kernel_sites(false), [2]);
        let probed = row("a", "1 site as built, 2 with `probe`; a `cfg` stays");
        assert_eq!((probed.kernel_sites(false), probed.kernel_sites(true)), (vec![1], vec![2]));
    }

    #[test]
    fn a_line_says_whether_the_stream_may_be_unknown() {
        assert!(row("a", "1 site; report it unknown or learn it").may_be_unknown());
        assert!(!row("a", "1 site; stream = the parameter").may_be_unknown());
    }
}
