/// Nothing of the shapes starts their engine, which some of them stand on: this is put behind them.
pub fn start_engine(stream: Arc<CudaStream>, functions: HashMap<&'static str, CudaFunction>) {
    ENGINE.get_or_init(|| Engine { stream, functions });
}
