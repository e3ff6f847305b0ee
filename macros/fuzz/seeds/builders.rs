//! Launches through builders, as programs write them.

/// One expression, with temporaries in it.
pub fn scale(stream: &Arc<CudaStream>, f: &CudaFunction, data: &mut CudaSlice<f32>, by: f32) -> Result<(), DriverError> {
    let n = data.len() as u32;
    unsafe { stream.launch_builder(f).arg(data).arg(&(by * 2.0)).arg(&n).launch(LaunchConfig::for_num_elems(n)) }?;
    Ok(())
}

fn in_steps(stream: &CudaStream, f: &CudaFunction, inputs: &[CudaSlice<f32>]) -> Result<(), DriverError> {
    let cfg = LaunchConfig { grid_dim: (4, 1, 1), block_dim: (128, 1, 1), shared_mem_bytes: 0 };
    let mut args = stream.launch_builder(f);
    for input in inputs.iter().filter(|input| !input.is_empty()) {
        args.arg(input);
    }
    push_all!(args, 1u32, inputs.len() as u32);
    unsafe { args.launch(cfg)? };
    Ok(())
}

fn twice(near: &CudaStream, far: &CudaStream, f: &CudaFunction) -> Outcome<(CudaEvent, CudaEvent)> {
    let mut b = near.launch_builder(f);
    unsafe { b.launch(grid(1)) }?;
    let mut b = far.launch_builder(f);
    b.record_kernel_launch(sys::CUevent_flags::CU_EVENT_DEFAULT);
    let events = unsafe { b.launch_cooperative(grid(2)) }.map_err(|e| Refused(format!("no launch: {e}")))?;
    events.ok_or(Refused::NoEvents)
}

impl<T: DeviceRepr, const TILE: usize> Linear<T, TILE> {
    const WARPS: u32 = { 32 / TILE as u32 };

    #[inline]
    pub fn forward(&self, x: &CudaSlice<T>) -> Outcome<CudaSlice<T>>
    where
        T: ValidAsZeroBits,
    {
        let mut out = self.stream.alloc_zeros::<T>(x.len())?;
        let mut launch = self.stream.launch_builder(&self.kernels[TILE]);
        launch.arg(&self.weight).arg(x).arg(&mut out);
        unsafe { launch.launch(self.config(x.len())) }.w()?;
        Ok(out)
    }

    fn config(&self, n: usize) -> LaunchConfig {
        LaunchConfig { block_dim: (Self::WARPS * 32, 1, 1), ..LaunchConfig::for_num_elems(n as u32) }
    }
}

fn graphs(&self, stream: &Arc<CudaStream>, graph: CudaGraph, b: &mut B) -> R {
    stream.begin_capture(MODE)?;
    unsafe { b.launch(cfg) }?;
    let Some(mut once) = stream.end_capture(FLAGS)? else { return Ok(()) };
    once.launch()?;
    self.graphs.last()?.launch()?;
    (&graph).launch()?;
    graphs[0].launch()?;
    let run = move || graph.launch();
    let later = async { self.graph.launch() };
    (|| once.launch())()?;
    unsafe { result::graph::launch(self.graph, stream.cu_stream()) }?;
    unsafe { sys::cuGraphLaunch(self.graph.raw(), stream.cu_stream()).result() }?;
    run()
}

fn cust(module: &Module, f: Function, stream: &Stream) -> Result<(), Box<dyn Error>> {
    unsafe {
        launch!(module.sum<<<grid_size, (16, 16), 0, stream>>>(a.as_device_ptr(), n))?;
        let done = cust::launch!(f<<<1, 2, shared::<f32>(), stream>>>(out))?;
    }
    Ok(())
}
