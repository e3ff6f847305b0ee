//! What a budget left out, by name: the threads' own counts, added up.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::name::Name;
use crate::sampling::LeftOut;

#[derive(Debug, Default)]
pub(super) struct Counts {
    live: Vec<Arc<LeftOut>>,
    /// Those of threads that are gone.
    gone: Totals,
}

/// By the name's number.
pub(super) type Totals = BTreeMap<usize, (&'static Name, u64)>;

impl Counts {
    pub(super) fn add(&mut self, counts: Vec<Arc<LeftOut>>) {
        self.live.extend(counts);
    }

    pub(super) fn totals(&mut self) -> Totals {
        let gone = &mut self.gone;
        self.live.retain_mut(|count| {
            // Behind this, what the thread wrote last is seen.
            let over = Arc::get_mut(count).is_some();
            if over {
                add(gone, count);
            }
            !over
        });
        let mut totals = gone.clone();
        self.live.iter().for_each(|count| add(&mut totals, count));
        for (name, count) in totals.values_mut() {
            *count = count.saturating_sub(name.pace.taken_back());
        }
        totals.retain(|_, (_, count)| *count > 0);
        totals
    }
}

fn add(totals: &mut Totals, count: &LeftOut) {
    totals.entry(count.name.index).or_insert((count.name, 0)).1 += count.count();
}
