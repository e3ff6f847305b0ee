//! Launches, what looks like one, and what stands in their arguments.

use super::Writer;

/// Calls of the driver, with how many arguments each has.
const DRIVER: &[(&str, usize)] = &[
    ("cuLaunchKernel", 11),
    ("sys::cuLaunchKernel", 11),
    ("cuLaunchCooperativeKernel", 10),
    ("cuLaunchKernelEx", 4),
    ("result::launch_kernel", 6),
    ("::cudarc::driver::result::launch_cooperative_kernel", 6),
    ("cudaLaunchKernel", 6),
    ("cudaLaunchCooperativeKernel", 6),
    ("cudaLaunchKernelExC", 3),
    ("sys::cuGraphLaunch", 2),
    ("cudaGraphLaunch", 2),
    ("graph::launch", 2),
    ("result::graph::launch", 2),
    ("r#launch_kernel", 6),
    ("<D as Driver>::launch_kernel", 6),
    ("launch_kernel::<T, U>", 6),
];

impl Writer<'_, '_> {
    pub(super) fn launch(&mut self) {
        self.one_of(&[
            |w| w.put("b.launch(cfg)"),
            Self::builder_launch,
            Self::builder_launch,
            Self::builder_launch,
            Self::driver_launch,
            Self::graph_launch,
            Self::cust_launch,
            |w| {
                w.put_one(&["b.launch", "launch(cfg)", "b.launch::<T>(cfg)", "B::launch(&mut b, cfg)"]);
            },
        ]);
    }

    fn builder_launch(&mut self) {
        self.launcher();
        self.put_one(&[".launch(", ".launch_cooperative(", ".\nlaunch(", ".r#launch(", ".launch(", ".launch("]);
        self.configuration();
        self.put_one(&[")", ")", ")", ",)", ", x)"]);
    }

    /// The launch of a graph, or the capture that makes one.
    fn graph_launch(&mut self) {
        self.launcher();
        self.put_one(&[
            ".launch()",
            ".launch()",
            ".end_capture(flags)",
            ".end_capture()",
            ".end_capture(a, b)",
            ".launch::<T>()",
        ]);
    }

    /// cust's macro, or something near it.
    fn cust_launch(&mut self) {
        self.put_one(&["launch!(", "launch!(", "cust::launch!(", "launch![", "launched!("]);
        let closed = if self.text.ends_with('[') { "]" } else { ")" };
        self.put_one(&["m.k<<<", "f<<<", "module.r#type<<<", "m.k.k<<<", "m.k<<", "m()<<<", "(m.k)<<<"]);
        self.put_one(&["1, 2, 0, s", "(g, 1), blocks(n, 1), shared::<f32>(), stream", "1, 2, 3", "a, b, c, d, e", ""]);
        self.put_one(&[">>>", ">>>", ">>>", ">>"]);
        self.put_one(&["(a, b)", "()", "(b.launch(cfg))", "[a]", "(x.as_ptr(), n), y"]);
        self.put(closed);
    }

    /// What launches.
    fn launcher(&mut self) {
        self.one_of(&[
            Self::name,
            Self::place,
            Self::chain,
            Self::chain,
            |w| w.within(("(", ")"), Self::chain),
            |w| w.within(("(", ")"), Self::expr),
            |w| w.within(("((", "))"), Self::launcher),
            |w| {
                w.put_one(&[
                    "v[i]",
                    "builder!()",
                    "(*p)",
                    "GLOBAL",
                    "make()",
                    "make()?",
                    "make().await",
                    "self",
                    "Self::B",
                ]);
            },
            |w| w.within(("unsafe {", "}"), Self::launcher),
            |w| w.within(("(if x {", "} else { b })"), Self::launcher),
            |w| w.within(("(match x { _ =>", "})"), Self::launcher),
            |w| {
                w.put_one(&[
                    "(B { s })",
                    "(&mut b)",
                    "(|| b)()",
                    "b.0",
                    "b.0.1",
                    "r#type.r#fn",
                    "\"s\"",
                    "1.0",
                    "[b][0]",
                ]);
            },
        ]);
    }

    pub(super) fn place(&mut self) {
        self.name();
        for _ in 0..self.entropy.below(3) {
            self.put_one(&[".args", ".0", ".r#type", ".größe"]);
        }
    }

    /// `s.launch_builder(f).arg(..)..`
    fn chain(&mut self) {
        self.one_of(&[
            |w| w.put("stream"),
            Self::place,
            |w| w.put_one(&["q()", "(s)", "self.streams[0]", "Arc::clone(s)"]),
        ]);
        self.put(".launch_builder(&f)");
        let most = if self.once_in(40) { 120 } else { 5 };
        for _ in 0..self.entropy.below(most) {
            match self.entropy.below(6) {
                0..=2 => self.put_one(&[".arg(&x)", ".arg(&(x * 0.5))", ".arg(&mut y)", ".arg(&n)"]),
                3 => self.put_one(&[".record_kernel_launch(flags)", ".arg::<T>(x)", ".with(|b| b.launch(cfg))"]),
                _ => self.within((".arg(", ")"), Self::expr),
            }
        }
    }

    fn configuration(&mut self) {
        self.one_of(&[
            |w| w.put("cfg"),
            |w| {
                w.put_one(&[
                    "LaunchConfig::for_num_elems(n as u32)",
                    "grid::<A, B>(n)",
                    "self.cfg",
                    "*cfg",
                    "cfg.clone()",
                ]);
            },
            |w| w.put("LaunchConfig { grid_dim: (n, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 }"),
            |w| {
                w.put_one(&[
                    "LaunchConfig { x, ..base }",
                    "C",
                    "()",
                    "cfg!(x)",
                    "&cfg",
                    "3",
                    "\"s\"",
                    "..",
                    "_",
                    "x = y",
                    "&raw const c",
                ]);
            },
            |w| {
                w.put_one(&[
                    "|x| x",
                    "(|x| x, 1)",
                    "{ |x| x }",
                    "f(|| b)",
                    "#[allow(unused)] cfg",
                    "return",
                    "break 'a c",
                ]);
            },
            Self::launch,
            Self::expr,
        ]);
    }

    fn driver_launch(&mut self) {
        let (name, count) = self.entropy.pick(DRIVER).copied().unwrap_or(("launch_kernel", 6));
        let count = if self.once_in(6) { self.entropy.below(13) } else { count };
        self.put(name);
        self.within(("(", ")"), |w| {
            for _ in 0..count {
                w.one_of(&[
                    |w| w.put_one(&["f", "0", "(1, 1, 1)", "s", "&mut p"]),
                    |w| w.put_one(&["s.cu_stream()", "n as _", "ptr::null_mut()", "a::<B, C>()", "|| x", "x.y"]),
                    Self::expr,
                ]);
                w.put(",");
            }
        });
    }
}
