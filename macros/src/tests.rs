//! Expansions, as text: what each main form of a launch becomes.

use proc_macro2::TokenStream;
use quote::quote;

mod depth;
mod inside;
mod told;

use crate::driver;
use crate::origin::Origin;

fn origin() -> Origin {
    Origin {
        package: "app".into(),
        relative: "crates/app".into(),
        absolute: "/w/crates/app".into(),
        ..Origin::default()
    }
}

/// The rewritten version, as rustfmt would print it; the sites' own arguments are left out.
fn rewritten(args: TokenStream, item: &TokenStream) -> String {
    let expanded = driver(args, item, origin()).to_string();
    let file: syn::File = syn::parse_str(&expanded).unwrap_or_else(|error| panic!("{error}: {expanded}"));
    let [syn::Item::Macro(pick)] = file.items.as_slice() else { panic!("no choice of two versions: {expanded}") };
    let versions: Vec<_> = pick.mac.tokens.clone().into_iter().collect();
    let [original, rewritten] = versions.as_slice() else { panic!("not two versions: {expanded}") };
    assert_eq!(original.to_string(), format!("{{ {item} }}"), "the first version is the function as it was");
    let proc_macro2::TokenTree::Group(rewritten) = rewritten else { panic!("{rewritten}") };
    let text = prettyplease::unparse(&syn::parse2(rewritten.stream()).unwrap());
    text.replace("::launchsite::__private::", "")
}

/// `text` without what is said of the sites, which other tests look at.
fn without_sites(text: &str) -> String {
    const END: &str = "instance(&||())";
    let mut short = flat(text);
    while let Some(from) = short.find(",site!(") {
        let until = short[from..].find(END).unwrap() + END.len();
        short.replace_range(from..from + until, "");
    }
    short
}

#[allow(clippy::needless_pass_by_value)] // as `quote!` gives it
fn body(item: TokenStream) -> String {
    without_sites(&rewritten(TokenStream::new(), &item))
}

#[test]
fn a_builder_in_a_local_is_looked_at_where_it_stands() {
    let text = body(quote! {
        fn f(stream: &CudaStream, k: &CudaFunction) -> R {
            let mut b = stream.launch_builder(k);
            unsafe { b.launch(config(3)) }?;
            Ok(())
        }
    });
    let call = "done(start(&mut launchsite_0), { see!(launchsite_0, &raw const b); }, \
                b.launch(arg(&mut launchsite_0, config(3))), &mut launchsite_0,)";
    assert!(flat(&text).contains(&flat(call)), "{text}");
    // In front of the innermost statement: inside the user's `unsafe` block, so that no temporary ends early.
    // What is fetched for the builder is for its launch, whose place it says.
    let built = "let mut b = beside({ fetch!(site!(Kind::Kernel, \"f\",";
    assert!(
        flat(&text).contains(&flat(built)) && flat(&text).contains(&flat("}, stream.launch_builder(k));")),
        "{text}"
    );
    let declared = text.find("letmutlaunchsite_0").unwrap();
    assert!(text.find("unsafe{").unwrap() < declared && declared < text.find("done(").unwrap(), "{text}");
}

#[test]
fn only_a_builder_that_a_variable_keeps_for_a_launch_ahead_is_told_of_it() {
    let text = body(quote! {
        fn f(s: &CudaStream, k: &CudaFunction) -> R {
            let other = s.launch_builder(k);
            let (a, _) = (s.launch_builder(k), 1);
            let mut first = s.launch_builder(k);
            let second: LaunchArgs<'_> = if true { s.launch_builder(k) } else { s.launch_builder(k) };
            keep(other, s.launch_builder(k));
            unsafe { second.arg(&1).launch(cfg) }?;
            unsafe { (&mut first).launch(cfg) }
        }
    });
    let text = flat(&text);
    assert_eq!(text.matches("beside(").count(), 3, "{text}");
    let of = |index: &str| text.matches(&format!("LAUNCHSITE_PLACES,{index}")).count();
    // `second` is launched first, and has two builders.
    assert_eq!((of("0"), of("1")), (2, 1), "{text}");
}

#[test]
fn a_chain_stays_one_expression() {
    let text = body(quote! {
        fn f(s: &CudaStream, k: &CudaFunction, x: f32) -> R {
            unsafe { s.launch_builder(k).arg(&(x * 0.5)).launch_cooperative(cfg) }
        }
    });
    let call = "done(start(&mut launchsite_0), { see_stream!(launchsite_0, &raw const s); }, \
                recv(&mut launchsite_0, s.launch_builder(k).arg(&(x * 0.5)))\
                .launch_cooperative(arg(&mut launchsite_0, cfg)), &mut launchsite_0,)";
    assert!(flat(&text).contains(&flat(call)), "{text}");
}

#[test]
fn a_chain_in_parentheses_tells_its_stream() {
    let text = flat(&body(quote! { fn f(s: S) { ((s.launch_builder(k)).arg(&x)).launch(cfg); } }));
    assert!(text.contains("see_stream!(launchsite_0,&rawconsts)"), "{text}");
}

#[test]
fn a_launch_inside_an_argument_has_a_state_of_its_own() {
    let text = body(quote! {
        fn f(a: &mut A, b: &mut B) { a.launch(b.launch(cfg)); }
    });
    let inner = "b.launch(arg(&mut launchsite_0, cfg))";
    let outer = "a.launch(arg(&mut launchsite_1,done(start(&mut launchsite_0)";
    assert!(flat(&text).contains(&flat(inner)) && flat(&text).contains(&flat(outer)), "{text}");
}

#[test]
fn what_is_no_configuration_stays_none_with_a_launch_in_it() {
    let text = rewritten(
        TokenStream::new(),
        &quote! {
            fn f() { b.launch(with(|| grid, launch_kernel(k, grid, block, 0, stream, &mut params))); }
        },
    );
    assert_eq!(text.matches("done(").count(), 1, "{text}");
    assert!(!text.contains("LAUNCHSITE_PLACES"), "{text}");
}

#[test]
fn places_that_would_be_moved_or_evaluated_twice_are_left_alone() {
    for receiver in [quote!(v[i]), quote!(builder!()), quote!((*p)), quote!(GLOBAL)] {
        let text = body(quote! { fn f(v: V, p: P, i: usize) { #receiver.launch(cfg); } });
        assert!(!text.contains("see!(") && !text.contains("recv("), "{text}");
        assert!(text.contains("done("), "{text}");
    }
    let text = body(quote! { fn f(&mut self) { self.args.launch(cfg); } });
    assert!(flat(&text).contains(&flat("see!(launchsite_0, &raw const self.args)")), "{text}");
}

#[test]
fn a_call_of_the_driver_tells_its_parts() {
    let text = body(quote! {
        fn f(q: &Queue) -> R {
            unsafe { result::launch_kernel(k, grid, (32, 1, 1), 0, q.raw, &mut params) }
        }
    });
    let call = "done(start_cudarc(&mut launchsite_0), (), result::launch_kernel(k, \
                part(&mut launchsite_0, Part::Grid, grid), part(&mut launchsite_0, Part::Block, (32, 1, 1)), \
                part(&mut launchsite_0, Part::Shared, 0), \
                part(&mut launchsite_0, Part::Stream, q.raw), last(&mut launchsite_0, Part::Other, &mut params)), \
                &mut launchsite_0,)";
    assert!(flat(&text).contains(&flat(call)), "{text}");
    for lookalike in [quote!(launch_kernel(a, b)), quote!(q.launch_kernel(a, b, c, d, e, f)), quote!(launch(a))] {
        let item = quote! { fn f() { #lookalike; } };
        assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn a_graph_is_entered_by_its_receiver() {
    let text = flat(&body(quote! {
        fn f(&self, graph: &CudaGraph) -> R {
            graph.launch()?;
            self.graphs.last()?.launch()
        }
    }));
    let place = "done_graph({see_graph!(launchsite_0,&rawconstgraph,&Entry::NONE);},graph.launch(),&mutlaunchsite_0)";
    let value =
        "done_graph((),recv_graph(&mutlaunchsite_1,self.graphs.last()?,&Entry::NONE).launch(),&mutlaunchsite_1)";
    assert!(text.contains(place) && text.contains(value), "{text}");
    // What cannot be looked at without another evaluation is left alone, and no site.
    for receiver in [quote!(graphs[i]), quote!(graph!()), quote!(GRAPH)] {
        let item = quote! { fn f(graphs: G, i: usize) { #receiver.launch(); } };
        assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn a_graph_that_another_launch_gives_is_entered_too() {
    let text = flat(&body(quote! { fn f(g: G) { g.launch().launch(); } }));
    assert!(text.contains("[(u32,u32);2usize]") && text.contains("recv_graph(&mutlaunchsite_1,done_graph("), "{text}");
}

#[test]
fn a_function_without_a_launch_is_left_as_it_is() {
    let untouched = [
        quote! { fn f() { x.launch(); launch(cfg); b.launch(1); b.launch(&cfg); b.launch(|x| x); b.launch(a, c); } },
        quote! { fn f() { fn inner(b: B) { b.launch(cfg); } const N: usize = { b.launch(cfg) }; } },
        quote! { const fn f(b: B) -> u32 { b.launch(cfg) } },
        quote! { fn f() { let launch = S { launch: 1 }; launch.launch; [0; { b.launch(cfg) }]; } },
        // Run at compile time, whatever they are.
        quote! { fn f(x: [u8; b.launch(cfg)]) { let y: [u8; b.launch(cfg)] = x as [u8; { b.launch(cfg) }]; } },
        quote! { fn f() { g::<{ b.launch(cfg) }>(S::<{ b.launch(cfg) }> {}).h::<{ b.launch(cfg) }>(); } },
        quote! { fn f() { let vec![b.launch(cfg)] = |x: vec![b.launch(cfg)]| -> [u8; b.launch(cfg)] { x }; } },
        quote! { fn f() { #[a = b.launch(cfg)] #[doc = vec![b.launch(cfg)]] x; } },
    ];
    for item in untouched {
        assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn a_signature_is_not_printed_anew() {
    let head = quote! { #[a] pub fn f<>(Vec<u8>, x: <T>::A) -> (T) };
    let tail = quote! { { #![allow(unused)] b.launch(cfg) } };
    let hidden = |tokens: TokenStream| proc_macro2::Group::new(proc_macro2::Delimiter::None, tokens);
    let (block, whole) = (hidden(tail.clone()), hidden(quote!(#head #tail)));
    for item in [quote!(#head #tail), quote!(#head #block), quote!(#whole)] {
        let text = driver(TokenStream::new(), &item, origin()).to_string();
        let (_, rewritten) = text.rsplit_once(&head.to_string()).unwrap();
        assert!(flat(rewritten).starts_with("{#![allow(unused)]letmutlaunchsite_slot_0="), "{text}");
    }
}

#[test]
fn the_function_keeps_everything_around_its_body() {
    let text = body(quote! {
        /// Documented.
        #[inline]
        #[must_use = "why"]
        pub(crate) unsafe extern "C" fn f<'a, T: Copy, const N: usize>(self: &'a Self, b: B<T>) -> [T; N]
        where
            T: Send,
        {
            b.launch(cfg)
        }
    });
    for kept in [
        "/// Documented.",
        "#[inline]",
        "#[must_use = \"why\"]",
        "pub(crate) unsafe extern \"C\" fn f<'a, T: Copy, const N: usize>",
        "self: &'a Self",
        "-> [T; N]",
        "where",
    ] {
        assert!(text.contains(&flat(kept)), "{kept}: {text}");
    }
}

/// Without white space, which is the printer's business.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<String>().replace(",)", ")")
}
