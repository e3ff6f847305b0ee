//! Which launches of which threads are timed.

use std::sync::Arc;

use super::{AT_ONCE, FIRST, LeftOut, PLACES, Place, Rule, Sampler};
use crate::config::Budget;
use crate::name::{Name, Spot, Variant};
use crate::site::{Instance, Known, Site};

fn name() -> &'static Name {
    Name::in_a_test(1)
}

/// A thread, and the counts that it hands over.
struct Thread {
    sampler: Sampler,
    counts: Vec<Arc<LeftOut>>,
}

impl Thread {
    fn new() -> Self {
        Self { sampler: Sampler::new(), counts: Vec::new() }
    }

    /// Whether the launch is timed.
    fn launch(&mut self, name: &'static Name, rule: &Rule) -> bool {
        let due = self.sampler.is_due(name, rule, |count| self.counts.push(count));
        if due {
            self.sampler.take(name);
        } else {
            self.sampler.leave_out(name);
        }
        due
    }

    fn timed(&mut self, name: &'static Name, rule: &Rule, launches: usize) -> usize {
        (0..launches).filter(|_| self.launch(name, rule)).count()
    }

    fn left_out(&self) -> u64 {
        self.counts.iter().map(|count| count.count()).sum()
    }
}

#[test]
fn a_budget_of_all_has_no_rule() {
    assert!(Rule::of(Budget::All).is_none());
    assert!(Rule::of(Budget::Every(1)).is_none());
}

#[test]
fn every_sixteenth_launch_of_a_name_is_timed_from_the_first_on() {
    let rule = Rule::of(Budget::Every(16)).unwrap();
    let (one, two) = (name(), name());
    let mut thread = Thread::new();
    for turn in 0..160 {
        assert_eq!(thread.launch(one, &rule), turn % 16 == 0, "{turn}");
        assert_eq!(thread.launch(two, &rule), turn % 16 == 0, "{turn}");
    }
    assert_eq!((thread.counts.len(), thread.left_out()), (2, 300));
}

#[test]
fn of_threads_that_launch_once_one_in_sixteen_is_timed() {
    let rule = Rule::of(Budget::Every(16)).unwrap();
    let name = name();
    assert_eq!((0..160).map(|_| Thread::new().timed(name, &rule, 1)).sum::<usize>(), 10);
    // And of those that go on, each one in sixteen of its own.
    for _ in 0..16 {
        let mut thread = Thread::new();
        assert_eq!(thread.timed(name, &rule, 160), 10);
        assert_eq!(thread.left_out(), 150);
    }
}

#[test]
fn under_a_share_the_first_launches_are_timed_and_then_few_until_more_is_known() {
    let rule = Rule::of(Budget::Share(0.01)).unwrap();
    let name = name();
    let mut thread = Thread::new();
    let first = usize::try_from(FIRST).unwrap();
    assert_eq!(thread.timed(name, &rule, first), first);
    assert_eq!(thread.timed(name, &rule, 1000), 10);
    // What the collector settles holds at once, in the middle of a stride too.
    name.pace.settle(1000);
    assert_eq!(thread.timed(name, &rule, 999), 0);
    name.pace.settle(2);
    assert_eq!(thread.timed(name, &rule, 100), 50);
    name.pace.settle(1);
    assert_eq!(thread.timed(name, &rule, 100), 100);
    // Another thread has the site's first launches behind it.
    assert_eq!(Thread::new().timed(self::name(), &rule, 1), 1);
}

#[test]
fn a_timed_launch_says_how_many_were_left_out_before_it() {
    let rule = Rule::of(Budget::Every(4)).unwrap();
    let name = name();
    let mut sampler = Sampler::new();
    let mut said = Vec::new();
    for _ in 0..9 {
        if sampler.is_due(name, &rule, |_| ()) {
            said.push(sampler.take(name));
        } else {
            sampler.leave_out(name);
        }
    }
    assert_eq!(said, [0, 3, 3]);
}

#[test]
fn to_leave_a_launch_out_allocates_nothing() {
    let rule = Rule::of(Budget::Every(16)).unwrap();
    let name = name();
    let mut thread = Thread::new();
    thread.launch(name, &rule);
    let before = assert_no_alloc::violation_count();
    assert_no_alloc::assert_no_alloc(|| assert_eq!(thread.timed(name, &rule, 1600), 100));
    assert_eq!(assert_no_alloc::violation_count() - before, 0);
}

/// A site and its one name.
fn site() -> (&'static Site, &'static Known) {
    const INSTANCE: Instance = || "m::f::{{closure}}";
    let site: &'static Site = Box::leak(Box::new(Site::new(Spot::in_a_test(1))));
    // As the first launch does.
    assert!(site.search().is_none());
    site.name(INSTANCE, Variant::NONE);
    (site, site.known(INSTANCE).unwrap())
}

impl Thread {
    /// As `launch`, by what is known ahead.
    fn launch_at(&mut self, (site, known): (&'static Site, &'static Known), rule: &Rule) -> bool {
        let of = Place::of(site, known.instance);
        if self.sampler.leaves_out(of).is_some() || self.sampler.leaves_out_next(of, known, rule) {
            return false;
        }
        self.launch(known.name, rule)
    }
}

#[test]
fn to_leave_launches_out_ahead_is_the_same() {
    for stride in [2, 4, 1000] {
        let rule = Rule::of(Budget::Every(stride)).unwrap();
        // More than there are places for.
        let sites: Vec<_> = (0..3 * PLACES).map(|_| site()).collect();
        let names: Vec<_> = sites.iter().map(|_| name()).collect();
        let (mut asked, mut ahead) = (Thread::new(), Thread::new());
        for turn in 0..3000 {
            // One that is hot, and the others by turns.
            for of in [0, turn % sites.len()] {
                let due = ahead.launch_at(sites[of], &rule);
                assert_eq!(asked.launch(names[of], &rule), due, "{turn}, {of} of every {stride}");
            }
        }
        assert_eq!(asked.left_out(), ahead.left_out());
    }
}

#[test]
fn what_is_settled_holds_for_launches_that_are_left_out_ahead_before_long() {
    let rule = Rule::of(Budget::Share(0.01)).unwrap();
    let of = site();
    let mut thread = Thread::new();
    assert!((0..FIRST).all(|_| thread.launch_at(of, &rule)));
    of.1.name.pace.settle(1_000_000);
    assert!(!(0..1000).any(|_| thread.launch_at(of, &rule)));
    of.1.name.pace.settle(2);
    let launches = AT_ONCE + 2;
    assert!((0..launches).any(|_| thread.launch_at(of, &rule)), "within {launches}");
}

#[test]
fn a_timed_launch_says_how_many_were_left_out_ahead() {
    let rule = Rule::of(Budget::Every(200)).unwrap();
    let of = site();
    let mut thread = Thread::new();
    let mut said = Vec::new();
    for _ in 0..401 {
        let sampler = &mut thread.sampler;
        let place = Place::of_name(of.1);
        if sampler.leaves_out(place).is_none() && !sampler.leaves_out_next(place, of.1, &rule) {
            assert!(sampler.is_due(of.1.name, &rule, |_| ()));
            said.push(sampler.take(of.1.name));
        }
    }
    assert_eq!(said, [0, 199, 199]);
}
