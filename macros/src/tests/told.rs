//! What the attribute is told, and what it tells the runtime.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::quote;

use super::{flat, origin, rewritten, without_sites};
use crate::driver;
use crate::origin::below;

#[test]
fn two_sites_share_a_table_of_their_places() {
    let text = rewritten(
        TokenStream::new(),
        &quote! {
            fn f(b: &mut LaunchArgs<'_>) {
                b.launch(one);
                b.launch(two);
            }
        },
    );
    assert!(text.contains("const LAUNCHSITE_PLACES: [(u32, u32); 2usize]"), "{text}");
    for index in ["&LAUNCHSITE_PLACES, 0usize", "&LAUNCHSITE_PLACES, 1usize"] {
        assert!(flat(&text).contains(&flat(index)), "{text}");
    }
}

#[test]
fn what_a_function_is_told_is_noted_at_its_entry() {
    let args = quote!(stream = a + b, caller, name = "gemm {m}", scope);
    let item = quote! { fn f(b: B, m: u32) { use x::y; b.launch(cfg); run(|b: B| b.launch(cfg)); run(move || b.launch(cfg)); } };
    let text = flat(&without_sites(&rewritten(args, &item)));
    let noted = "letmutlaunchsite_entry=Entry::NONE.called_at(::core::panic::Location::caller());\
                 ifEntry::wants_records(){Entry::goes_to(&mutlaunchsite_entry,stream_of(&(a+b)));}\
                 enter_text!(launchsite_entry,::core::format_args!(\"gemm{m}\"));";
    assert!(text.contains(noted), "{text}");
    assert!(text.starts_with("#[track_caller]fnf"), "{text}");
    // Behind the items, so that no lint asks for these to come first.
    assert!(text.find("usex::y;").unwrap() < text.find("letmutlaunchsite_entry").unwrap(), "{text}");
    // Scope, place, and the closure that moves; the other one cannot reach it.
    assert_eq!(text.matches("enter(&mut").count(), 3, "{text}");
    // The scope is the first site.
    assert!(text.contains("launchsite_1") && text.contains("launchsite_3") && !text.contains("launchsite_4"), "{text}");
}

#[test]
fn a_function_with_track_caller_gets_no_second_one() {
    let item = quote! { #[track_caller] fn f(b: B) { b.launch(cfg); } };
    assert_eq!(rewritten(quote!(internal), &item).matches("track_caller").count(), 1);
}

#[test]
fn a_scope_stands_on_its_own() {
    let item = quote! { fn f() -> u32 { 3 } };
    let text = flat(&without_sites(&rewritten(quote!(scope), &item)));
    assert!(
        text.contains("let_launchsite_entered=Scope::enter(&mutlaunchsite_scope,") && text.ends_with("3}"),
        "{text}"
    );
    // What is for launches alone leaves a function without one as it is.
    for args in [quote!(caller), quote!(stream = s), quote!(name = "n"), quote!()] {
        assert_eq!(driver(args, &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn an_impl_block_puts_the_attribute_on_its_methods_that_launch() {
    let item = quote! {
        impl<T> Linear<T> {
            const N: usize = 3;
            /// Launches.
            #[inline]
            fn forward(&self) { self.b.launch(cfg); }
            fn len(&self) -> usize { 3 }
            const fn launched(b: B) -> u32 { b.launch(cfg) }
            #[launchsite::gpu_kernel(name = "own")]
            fn own(&self) { self.b.launch(cfg); }
        }
    };
    let text = flat(&driver(TokenStream::new(), &item, origin()).to_string());
    let forward = "#[doc=r\"Launches.\"]#[inline]#[::launchsite::gpu_kernel]fnforward";
    assert!(text.contains(forward) || text.contains(&forward.replace("r\"", "\"")), "{text}");
    assert_eq!(text.matches("gpu_kernel").count(), 2, "{text}");
    let text = flat(&driver(quote!(crate = my::own), &item, origin()).to_string());
    assert!(text.contains("#[my::own::gpu_kernel(crate=my::own)]fnforward"), "{text}");

    let without = quote! { impl Linear { fn len(&self) -> usize { 3 } } };
    assert_eq!(driver(TokenStream::new(), &without, origin()).to_string(), without.to_string());
}

#[test]
fn an_impl_block_is_not_printed_anew() {
    let hidden = |tokens: TokenStream| Group::new(Delimiter::None, tokens);
    let (head, inner) = (quote! { impl<> T<3, 'a,> where }, quote! { #![a] type A = (u8); #[b] });
    let (method, behind) = (quote! { fn f<>(&self) where { b.launch(cfg) } }, quote! { const N: u8 = 3; m!{} });
    let braced = quote!({ #inner #method #behind });
    let (block, whole, item) = (hidden(braced.clone()), hidden(quote!(#head #braced)), hidden(quote!(#method #behind)));
    for given in [quote!(#head #braced), quote!(#head #block), quote!(#whole), quote!(#head { #inner #item })] {
        let text = flat(&driver(TokenStream::new(), &given, origin()).to_string());
        let expected = quote!(#head { #inner #[::launchsite::gpu_kernel] #method #behind });
        assert_eq!(text, flat(&expected.to_string()));
    }
}

#[test]
fn what_a_site_knows_is_said_by_arguments_and_the_build() {
    let item = quote! { fn f(b: B) { b.launch(cfg); } };
    let text = driver(quote!(name = "gemm", crate = my::own), &item, origin()).to_string();
    let text = flat(&text);
    assert!(text.starts_with(&flat("my::own::__pick!")), "{text}");
    assert!(
        text.contains(&flat(
            r#"my::own::__private::site!(my::own::__private::Kind::Kernel, "f", "gemm", "", ::core::option::Option::None, "app", my::own::__private::file!()"#
        )),
        "{text}"
    );
    assert!(text.contains(&flat(r#""crates/app", "/w/crates/app", """#)), "{text}");
}

#[test]
fn every_mistake_is_told_at_once_and_the_item_is_kept() {
    let item = quote! { fn f(b: B) { b.launch(cfg); } };
    let wrong = quote!(nmae = "a", name = "{q}", name = "c", scope = 1, stream = s?);
    let text = driver(wrong, &item, origin()).to_string();
    let told = [
        "unknown argument `nmae`",
        "`{q}` is no argument of the function: it has `b`",
        "duplicate argument `name`",
        "`scope` takes no value",
        "`?` has no place in `stream`",
    ];
    for told in told {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(text.ends_with(&item.to_string()), "{text}");
}

#[test]
fn a_packages_folder_seen_from_the_compilers() {
    let table = [("/w/crates/app", "/w", "crates/app"), ("/w", "/w", ""), ("/elsewhere/app", "/w", ""), ("", "/w", "")];
    for (folder, root, expected) in table {
        assert_eq!(below(folder.as_ref(), root.as_ref()), expected, "{folder} from {root}");
    }
}

#[test]
fn a_helper_without_a_launch_passes_its_caller_on() {
    let item = quote! { fn f() { launches_elsewhere(); } };
    let text = flat(&driver(quote!(internal), &item, origin()).to_string());
    assert!(text.ends_with("{#[track_caller]fnf(){launches_elsewhere();}}}"), "{text}");
}

#[test]
fn a_function_that_has_the_attribute_once_more_keeps_what_that_one_says() {
    let item = quote! { #[launchsite::gpu_kernel(name = "inner")] fn f(b: B) { b.launch(cfg); } };
    for args in [quote!(), quote!(scope, internal)] {
        assert_eq!(driver(args, &item, origin()).to_string(), item.to_string());
    }
}

#[test]
fn a_name_without_its_key_is_told_how_to_have_it() {
    let text = driver(quote!("gemm"), &quote! { fn f() {} }, origin()).to_string();
    assert!(text.contains("a name is given by `name"), "{text}");
}

#[test]
fn an_argument_that_may_be_a_closure_is_not_wrapped() {
    for (hooked, call) in [
        (false, quote!(b.launch(by!(x => x.len())))),
        (false, quote!(b.launch({ by!(n) }))),
        (false, quote!(b.launch(if n { by!(n) } else { other }))),
        (
            false,
            quote!(b.launch(loop {
                break |x| x;
            })),
        ),
        (false, quote!(b.launch('a: { break 'a by!(n) }))),
        (false, quote!(b.launch(const { |x| x }))),
        (false, quote!(b.launch(Box::new(by!(n))))),
        (false, quote!(b.launch(Own { by: by!(n) }))),
        (false, quote!(b.launch(return))),
        (false, quote!(graph::launch(g, by!(n)))),
        (false, quote!(cuGraphLaunch(g, by!(n)))),
        (
            false,
            quote!(b.launch(
                #[cfg(x)]
                cfg
            )),
        ),
        (
            false,
            quote!(g.launch(
                #[cfg(x)]
                cfg,
                #[cfg(y)]
                other
            )),
        ),
        (true, quote!(b.launch(launch_config!(n)))),
        (true, quote!(b.launch({ my::cfg_for!(n) }))),
        (true, quote!(b.launch(LaunchConfig { grid_dim: (ceil!(n), 1, 1), ..c }))),
        (true, quote!(b.launch(LaunchConfig::for_num_elems(ceil!(n))))),
        (true, quote!(b.launch(config(ceil!(n))))),
        (
            true,
            quote!(b.launch(loop {
                break cfg;
            })),
        ),
        (true, quote!(cuLaunchKernel(f, ceil!(n), 1, 1, 64, 1, 1, 0, s, args!(a), extra))),
    ] {
        let text = driver(TokenStream::new(), &quote! { fn f(b: B) { #call; } }, origin()).to_string();
        assert_eq!(text.contains(":: done ("), hooked, "{call}: {text}");
    }
}
