//! Where events go in a copy of a graph, so that each of its kernels stands between two. What comes before what stays as it was.

use crate::device::graph::{Copied, NodeKind};

/// A node of the copy, or an event that is put into it, by its place among these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    Node(usize),
    Event(usize),
}

/// A kernel, and the events that it stands between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub(crate) node: usize,
    pub(crate) start: usize,
    pub(crate) stop: usize,
    /// Nothing else of the graph can be at work at the same time.
    pub(crate) alone: bool,
}

/// What is done to a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) kernels: Vec<Kernel>,
    /// What each event comes behind: nodes, and events before it in this list.
    pub(crate) events: Vec<Vec<Point>>,
    /// Nodes that come behind an event.
    pub(crate) links: Vec<(usize, usize)>,
    /// Links between nodes that the others stand for.
    pub(crate) cuts: Vec<(usize, usize)>,
}

impl Plan {
    /// Each kernel has an event behind it, which what comes next waits for in its place. In front of a kernel that waits for one
    /// other alone, that one's event is the first of the two; every other has an event of its own there.
    pub(crate) fn of(copied: &Copied) -> Self {
        let count = copied.nodes.len();
        let is_kernel = |node: usize| copied.nodes.get(node).is_some_and(|node| node.kind == NodeKind::Kernel);
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &(from, to) in &copied.edges {
            before.get_mut(to).into_iter().for_each(|before| before.push(from));
        }
        let kernels: Vec<usize> = (0..count).filter(|&node| is_kernel(node)).collect();
        let mut plan = Self::default();
        let mut stop = vec![0; count];
        for &kernel in &kernels {
            stop.get_mut(kernel).into_iter().for_each(|stop| *stop = plan.events.len());
            plan.events.push(vec![Point::Node(kernel)]);
        }
        let stop_of = |node: usize| stop.get(node).copied().unwrap_or_default();
        let end_of = |node: usize| if is_kernel(node) { Point::Event(stop_of(node)) } else { Point::Node(node) };
        let alone = alone(copied, &before);
        for &kernel in &kernels {
            let behind = before.get(kernel).map(Vec::as_slice).unwrap_or_default();
            let start = match behind {
                [one] if is_kernel(*one) => stop_of(*one),
                _ => {
                    plan.events.push(behind.iter().map(|&node| end_of(node)).collect());
                    plan.events.len() - 1
                }
            };
            plan.links.push((start, kernel));
            plan.cuts.extend(behind.iter().map(|&node| (node, kernel)));
            let alone = alone.get(kernel).copied().unwrap_or_default();
            plan.kernels.push(Kernel { node: kernel, start, stop: stop_of(kernel), alone });
        }
        for &(from, to) in copied.edges.iter().filter(|&&(from, to)| is_kernel(from) && !is_kernel(to)) {
            plan.links.push((stop_of(from), to));
            plan.cuts.push((from, to));
        }
        plan
    }
}

/// Of which nodes all others that keep the device busy come either before or behind.
fn alone(copied: &Copied, before: &[Vec<usize>]) -> Vec<bool> {
    let count = copied.nodes.len();
    let is_busy = |node: usize| copied.nodes.get(node).is_some_and(|node| node.kind != NodeKind::Order);
    let mut ancestors: Vec<Option<Set>> = vec![None; count];
    let mut comparable = vec![0_usize; count];
    for node in in_order(before) {
        let mut own = Set::of(count);
        for &from in before.get(node).into_iter().flatten() {
            if let Some(Some(others)) = ancestors.get(from) {
                own.join(others);
            }
            own.add(from);
        }
        for other in own.members().filter(|&other| is_busy(other)) {
            comparable.get_mut(node).into_iter().for_each(|count| *count += 1);
            if is_busy(node) {
                comparable.get_mut(other).into_iter().for_each(|count| *count += 1);
            }
        }
        ancestors.get_mut(node).into_iter().for_each(|place| *place = Some(own.clone()));
    }
    let busy = (0..count).filter(|&node| is_busy(node)).count();
    comparable.into_iter().map(|count| count + 1 == busy).collect()
}

/// All nodes, each behind those that it waits for.
fn in_order(before: &[Vec<usize>]) -> Vec<usize> {
    let mut left: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    for (to, from) in before.iter().enumerate().flat_map(|(to, from)| from.iter().map(move |&from| (to, from))) {
        behind.get_mut(from).into_iter().for_each(|behind| behind.push(to));
    }
    let mut order: Vec<usize> = (0..before.len()).filter(|&node| left.get(node) == Some(&0)).collect();
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &to in behind.get(node).into_iter().flatten() {
            if let Some(left) = left.get_mut(to) {
                *left -= 1;
                if *left == 0 {
                    order.push(to);
                }
            }
        }
    }
    order
}

/// A set of nodes.
#[derive(Clone, Debug)]
struct Set(Vec<u64>);

impl Set {
    fn of(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, node: usize) {
        self.0.get_mut(node / 64).into_iter().for_each(|word| *word |= 1 << (node % 64));
    }

    fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::{Plan, Point};
    use crate::device::graph::{Copied, Node, NodeKind};
    use NodeKind::{Kernel, Order, Work};

    fn graph(kinds: &[NodeKind], edges: &[(usize, usize)]) -> Copied {
        let nodes =
            kinds.iter().enumerate().map(|(at, &kind)| Node { own: at as u64, copied: at as u64, kind, kernel: None });
        Copied { graph: 1, flags: 0, nodes: nodes.collect(), edges: edges.to_vec() }
    }

    /// What comes before what among the nodes, straight or through events.
    fn orders(count: usize, edges: &[(Point, Point)], events: usize) -> Vec<(usize, usize)> {
        let at = |point: Point| match point {
            Point::Node(node) => node,
            Point::Event(event) => count + event,
        };
        let all = count + events;
        let mut reach = vec![vec![false; all]; all];
        for &(from, to) in edges {
            reach[at(from)][at(to)] = true;
        }
        for via in 0..all {
            for from in 0..all {
                for to in 0..all {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|&(from, to)| reach[from][to]).collect()
    }

    /// The copy's order with the plan is the order without it, and each kernel is between its events with nothing else.
    fn check(copied: &Copied) -> Plan {
        let plan = Plan::of(copied);
        let (count, events) = (copied.nodes.len(), plan.events.len());
        let own: Vec<_> = copied.edges.iter().map(|&(from, to)| (Point::Node(from), Point::Node(to))).collect();
        let mut planned: Vec<_> = own
            .iter()
            .copied()
            .filter(|&(from, to)| !plan.cuts.iter().any(|&(a, b)| (Point::Node(a), Point::Node(b)) == (from, to)))
            .collect();
        for (event, after) in plan.events.iter().enumerate() {
            for &point in after {
                assert!(!matches!(point, Point::Event(other) if other >= event), "made before it is used");
                planned.push((point, Point::Event(event)));
            }
        }
        planned.extend(plan.links.iter().map(|&(event, node)| (Point::Event(event), Point::Node(node))));
        assert_eq!(orders(count, &planned, events), orders(count, &own, 0));
        for cut in &plan.cuts {
            assert!(copied.edges.contains(cut));
        }
        for kernel in &plan.kernels {
            assert!(plan.links.contains(&(kernel.start, kernel.node)), "its first event is right in front of it");
            assert_eq!(plan.events[kernel.stop], [Point::Node(kernel.node)]);
        }
        plan
    }

    #[test]
    fn in_a_chain_kernels_share_events() {
        let plan = check(&graph(&[Kernel, Kernel, Kernel], &[(0, 1), (1, 2)]));
        assert_eq!(plan.events.len(), 4);
        assert!(plan.kernels.iter().all(|kernel| kernel.alone));
    }

    #[test]
    fn branches_have_their_own_and_are_not_alone() {
        let copied = graph(&[Kernel, Kernel, Kernel, Kernel], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let plan = check(&copied);
        let alone: Vec<_> = plan.kernels.iter().map(|kernel| kernel.alone).collect();
        assert_eq!(alone, [true, false, false, true]);
        // One behind each, one in front of the first, and one where the branches meet.
        assert_eq!(plan.events.len(), 6);
    }

    #[test]
    fn what_is_no_kernel_keeps_its_place() {
        let copied = graph(&[Work, Kernel, Order, Work, Kernel], &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]);
        let plan = check(&copied);
        assert_eq!(plan.kernels.len(), 2);
        check(&graph(&[Work, Work], &[(0, 1)]));
        check(&graph(&[Kernel, Kernel], &[]));
        assert!(check(&graph(&[], &[])).events.is_empty());
    }

    #[test]
    fn any_graph_keeps_its_order() {
        let mut state = 1_u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..300 {
            let count = usize::try_from(1 + below(10)).unwrap();
            let kinds: Vec<_> =
                (0..count).map(|_| [Kernel, Kernel, Work, Order][usize::try_from(below(4)).unwrap()]).collect();
            let pairs = (0..count).flat_map(|from| (from + 1..count).map(move |to| (from, to)));
            let edges: Vec<_> = pairs.filter(|_| below(3) == 0).collect();
            check(&graph(&kinds, &edges));
        }
    }
}
