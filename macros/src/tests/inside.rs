//! Launches inside of something: closures, async blocks, macros, conditions.

use proc_macro2::TokenStream;
use quote::quote;

use super::{body, flat, origin, rewritten};
use crate::driver;

#[test]
fn a_closures_expression_becomes_a_block_and_its_captures_are_left_alone() {
    let text = body(quote! {
        fn f(mut b: LaunchArgs<'_>) { run(|cfg| b.launch(cfg)); run(|b: B| b.launch(cfg)); }
    });
    // Captured: looking at it would change how. Bound in the closure: looked at.
    assert!(flat(&text).contains(&flat("|cfg| { let mut launchsite_slot_0")), "{text}");
    assert!(!flat(&text).contains(&flat("see!(launchsite_0")), "{text}");
    assert!(flat(&text).contains(&flat("see!(launchsite_1, &raw const b)")), "{text}");
}

#[test]
fn the_end_of_a_capture_is_looked_at_where_something_launches() {
    let text = flat(&body(quote! {
        fn f(stream: &Arc<CudaStream>, b: B) -> R { b.launch(cfg)?; stream.end_capture(flags) }
    }));
    assert!(text.contains("beside({see_capture!(&rawconststream);},stream.end_capture(flags))"), "{text}");
    let item = quote! { fn f(stream: &Arc<CudaStream>) -> R { stream.end_capture(flags) } };
    assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
}

#[test]
fn custs_macro_stays_as_it_is() {
    let text = flat(&body(quote! {
        fn f(module: &Module, stream: &Stream) -> R {
            unsafe { launch!(module.sum<<<grid, block, 0, stream>>>(a, b)); }
            unsafe { cust::launch!(f<<<(1, 2), 64, 0, stream>>>(a)) }
        }
    }));
    let module = r#"around!(launchsite_0,"sum",&Entry::NONE,launch!(module.sum<<<grid,block,0,stream>>>(a,b)))"#;
    let function = r#"around!(launchsite_1,"",&Entry::NONE,cust::launch!(f<<<(1,2),64,0,stream>>>(a)))"#;
    assert!(text.contains(module) && text.contains(function), "{text}");
    for other in [
        quote!(launch!(f, g)),
        quote!(launch!(f<<<1, 2, 3>>>(a))),
        quote!(launch!(f<<<1, 2, 3, s>>>[a])),
        quote!(launch!(f<<<1, 2, 3, s>>>(a, b.get().await))),
        quote!(launch!()),
    ] {
        let item = quote! { fn f() { #other; } };
        assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn closures_and_async_blocks_that_capture_whole_are_looked_into() {
    for (whole, body_of) in [
        (true, quote!(run(move || b.launch(cfg)))),
        (true, quote!((|| b.launch(cfg))())),
        (true, quote!(async move { b.launch(cfg) })),
        // What it gives goes on after the call.
        (false, quote!((async || b.launch(cfg))())),
        (false, quote!(run(|| b.launch(cfg)))),
        (false, quote!((async || b.launch(cfg))())),
        (true, quote!((async move || b.launch(cfg))())),
        (false, quote!(async { b.launch(cfg) })),
        (false, quote!(run(|| run(move || b.launch(cfg))))),
    ] {
        let text = body(quote! { fn f(b: B) { #body_of; } });
        assert_eq!(text.contains("see!(launchsite_0"), whole, "{text}");
    }
}

#[test]
fn launches_are_found_in_the_first_argument_alone_where_others_are_patterns() {
    let text = flat(&body(quote! { fn f(b: B) -> bool { matches!(b.launch(cfg), Err(e) if e.is_odd()) } }));
    assert!(text.contains("matches!(done(start(") && text.contains(",Err(e)ife.is_odd())"), "{text}");
    // Without a message, the condition's text is shown.
    for name in ["anyhow::ensure", "assert", "std::debug_assert"] {
        let name: TokenStream = name.parse().unwrap();
        for end in [quote!(), quote!(,)] {
            let shown = quote! { fn f(b: B) { #name!(b.launch(cfg).is_ok() #end); } };
            assert_eq!(driver(TokenStream::new(), &shown, origin()).to_string(), shown.to_string());
        }
        let text = body(quote! { fn f(b: B) { #name!(b.launch(cfg).is_ok(), "why"); } });
        assert!(text.contains("done("), "{text}");
    }
}

#[test]
fn launches_are_found_in_the_arguments_of_stds_macros() {
    let text = flat(&body(quote! {
        fn f(b: B) {
            assert!(b.launch(cfg).is_ok(), "why");
            assert_eq!(b.launch(cfg), Ok(()), "why {}", 1);
            let all = vec![b.launch(cfg)?, b.launch(cfg)?];
            let same = vec![b.launch(cfg).is_ok(); b.count()];
            let shown = format_args!("{:?}", b.launch(cfg)).to_string();
        }
    }));
    assert_eq!(text.matches("done(start(").count(), 6, "{text}");
    assert!(text.contains("&mutlaunchsite_4).is_ok();b.count()]"), "{text}");
}

#[test]
fn the_tokens_of_other_macros_are_not_looked_into() {
    for other in [
        quote!(own!(b.launch(cfg));),
        quote!(my::assert!(b.launch(cfg).is_ok());),
        quote!(my::std::vec![b.launch(cfg)];),
        quote!(dbg!(b.launch(cfg));),
        quote!(pin!(b.launch(cfg));),
        // As likely the program's own.
        quote!(debug!("{}", b.launch(cfg).is_ok());),
        quote!(trace!(b.launch(cfg).is_ok());),
        quote!(ensure!(b.launch(cfg).is_ok(), "why");),
        quote!(join!(b.launch(cfg));),
        quote!(own::log::info!("{}", b.launch(cfg).is_ok());),
    ] {
        let item = quote! { fn f(b: B) { #other } };
        assert_eq!(driver(TokenStream::new(), &item, origin()).to_string(), item.to_string());
    }
    for known in [
        quote!(std::assert!(b.launch(cfg).is_ok(), "why")),
        quote!(::core::matches!(b.launch(cfg), Ok(_))),
        quote!(log::info!("{}", b.launch(cfg).is_ok())),
        quote!(::tracing::debug!(ok = b.launch(cfg).is_ok(), "launched")),
        quote!(tokio::try_join!(b.launch(cfg))),
        quote!(eyre::bail!("{}", b.launch(cfg).is_ok())),
        quote!(assert_matches::assert_matches!(b.launch(cfg), Ok(_))),
    ] {
        let text = body(quote! { fn f(b: B) { #known; } });
        assert!(text.contains("done("), "{text}");
    }
}

#[test]
fn a_condition_that_stands_under_another_stays_too() {
    let text = flat(&body(quote! {
        fn f(b: B) {
            #[cfg_attr(true, allow(unused), cfg(q), cfg_attr(r, inline, cfg(s)))]
            #[cfg_attr(p, inline)]
            b.launch(cfg);
        }
    }));
    let kept = "#[cfg_attr(true,cfg(q),cfg_attr(r,cfg(s)))]let";
    assert_eq!(text.matches(kept).count(), 2, "{text}");
    assert_eq!(text.matches("#[cfg_attr(p,inline)]").count(), 1, "{text}");
}

#[test]
fn a_condition_stays_with_what_stands_in_front_of_its_statement() {
    let text = body(quote! {
        fn f(b: B) {
            #[cfg(feature = "probe")]
            b.launch(cfg);
        }
    });
    assert_eq!(text.matches("#[cfg(feature=\"probe\")]").count(), 3, "{text}");
    for statement in [
        quote!(x = b.launch(cfg);),
        quote!(*x += b.launch(cfg)?;),
        quote!(b.launch(cfg).await;),
        quote!(b.launch(cfg).x;),
        quote!(b.launch(cfg) == y;),
        quote!((b.launch(cfg)) as u32;),
        quote!(break b.launch(cfg);),
        quote!(f! { b }.launch(cfg);),
        quote!(let x = b.launch(cfg);),
        quote!(vec![b.launch(cfg)];),
    ] {
        let text = body(quote! { fn f(b: B) { #[cfg(feature = "probe")] #statement } });
        assert_eq!(text.matches("#[cfg(feature=\"probe\")]").count(), 3, "{text}");
    }
}

#[test]
fn a_launch_that_has_its_hooks_gets_no_others() {
    let once = rewritten(TokenStream::new(), &quote! { fn f(b: B) { b.launch(run(|b: B| b.launch(cfg))); } });
    let hooked: TokenStream = once.replace("done(", "::launchsite::__private::done(").parse().unwrap();
    assert_eq!(driver(TokenStream::new(), &hooked, origin()).to_string(), hooked.to_string());
}

#[test]
fn a_closures_expression_is_one_in_its_block_too() {
    for (expression, within) in [
        (quote!(unsafe { b.launch(cfg) } == Ok(())), "(unsafe"),
        (quote!(if let Err(e) = b.launch(cfg) { 1 } else { 2 } + 3), "(if"),
        (
            quote!(match b.launch(cfg) {
                _ => 1,
            } as u8),
            "(match",
        ),
    ] {
        let text = body(quote! { fn f(b: B) { run(|cfg| #expression); } });
        let item = format!("{{{text}}}");
        assert!(flat(&item).contains(within), "{text}");
    }
}
