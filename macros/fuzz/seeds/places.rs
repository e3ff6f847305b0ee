//! Launches wherever control flow may put them.

fn flow<'a>(b: &'a mut LaunchArgs<'a>, all: Vec<Cfg>, mode: Mode) -> Result<u32, Box<dyn Error + 'a>> {
    if all.is_empty() {
        return Ok(0);
    }
    let Some(first) = all.first() else { return Err("none".into()) };
    'retry: loop {
        match unsafe { b.launch(*first) } {
            Ok(_) if mode.once() => break 'retry,
            Ok(None) | Err(DriverError(0)) => continue 'retry,
            Ok(Some((start, end))) => drop((start, end)),
            Err(e) => return Err(e)?,
        }
    }
    while let Some(cfg) = all.iter().next() && unsafe { b.launch(*cfg) }.is_ok() {}
    let results: Vec<_> = all.into_iter().map(|cfg| unsafe { b.launch(cfg) }).collect::<Result<_, _>>()?;
    Ok(results.len() as u32)
}

async fn over_time(stream: &Arc<CudaStream>, f: CudaFunction) -> Result<Vec<f32>, DriverError> {
    let out = async {
        let mut out = stream.alloc_zeros::<f32>(16)?;
        unsafe { stream.launch_builder(&f).arg(&mut out).launch(LaunchConfig::for_num_elems(16)) }?;
        Ok::<_, DriverError>(out)
    };
    tokio::task::yield_now().await;
    stream.clone_dtoh(&out.await?)
}

fn closures(s: &CudaStream, f: &CudaFunction, cfg: LaunchConfig) {
    let launch = move |mut b: LaunchArgs<'_>| -> R { unsafe { b.launch(cfg) } };
    run(|b: B| b.launch(cfg));
    run(async move |x| s.launch_builder(f).arg(&x).launch(cfg));
    rayon::join(|| launch(s.launch_builder(f)), || { fn inner(b: B) -> R { b.launch(CFG) } });
}

fn conditions(b: &mut B, x: X) -> R {
    #[cfg(feature = "probe")]
    b.launch(probe)?;
    #[cfg(not(feature = "probe"))]
    let cfg = plain();
    assert!(b.launch(cfg).is_ok());
    debug_assert!(b.launch(cfg).is_ok(), "why {}", 1);
    let all = vec![b.launch(one)?, b.launch(two)?];
    println!("{:?} {x}", b.launch(three), x = b.launch(four)?);
    let y = if x.is() { b.launch(a)? } else if let Some(c) = x.cfg { b.launch(c)? } else { None };
    a.launch(b.launch(cfg)?.config())
}

async fn macros(b: &mut B, x: X) -> R {
    ensure!(b.launch(cfg).is_ok(), "why {}", 1);
    ensure!(b.launch(cfg).is_ok());
    let odd = matches!(b.launch(cfg), Err(e) if e.is_odd());
    let (one, two) = tokio::try_join!(async { b.launch(one) }, async move { x.b.launch(two) })?;
    tracing::info!("{:?}", b.launch(cfg));
    my::assert!(b.launch(cfg).is_ok());
    std::assert_eq!(b.launch(cfg), Ok(()));
    #[cfg_attr(not(x), cfg(y), allow(unused))]
    b.launch(cfg)?;
    let all = S { #[cfg(x)] a: b.launch(one)?, b: match x { #[cfg(y)] 1 => b.launch(two)?, _ => None } };
    (move |s: S| s.launch_builder(f).launch(cfg))(s)?;
    (s.launch_builder(f)).launch(cfg)
}
