use super::{ADOPTED, CAPACITY, Orphans, Place, lane};
use crate::device::host::Host;
use crate::queue::Stack;

/// A pair beyond them would find no room on its way back, and its events would be lost.
#[test]
fn a_lane_that_takes_over_pairs_has_no_more_than_find_room() {
    let host = Host::new();
    let place = Place { device: host.device(), context: host.context(), ordinal: 0 };
    place.device.enter(place.context).unwrap();
    let left = Stack::default();
    let (mut sender, mut receiver) = lane(Some(place), 1);
    let mut windows: Vec<_> = (0..CAPACITY - ADOPTED / 2).map(|_| sender.open(place, &left).unwrap()).collect();

    let (mut gone, _collector) = lane(Some(place), 2);
    let pairs = (0..ADOPTED).map(|_| gone.open(place, &left).unwrap()).collect();
    left.push(Orphans { context: place.context, life: receiver.life(), pairs });
    while let Ok(pair) = sender.open(place, &left) {
        windows.push(pair);
    }

    assert_eq!(windows.len(), CAPACITY);
    for pair in &windows {
        receiver.give_back(*pair);
    }
    receiver.let_go(place.device, windows.len());
    let again = std::iter::from_fn(|| sender.open(place, &Stack::default()).ok());
    assert!(again.eq(windows), "all of them came back");
}
