//! A graph on what is no stream that can be captured.

use launchsite::Graph;

fn main() {
    let mut graph = Graph::new();
    let _ = graph.run(&7_u32, || Ok::<(), ()>(()));
}
