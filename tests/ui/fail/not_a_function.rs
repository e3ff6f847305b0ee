use launchsite::gpu_kernel;

#[gpu_kernel]
struct Struct;

#[gpu_kernel]
pub enum Enum {}

#[gpu_kernel(name = "all of them")]
impl Struct {}

#[gpu_kernel]
mod module {}

#[gpu_kernel]
pub const CONST: u32 = 1;

trait Trait {
    #[gpu_kernel]
    fn without_a_body(&self);
}

fn main() {
    let _ = Struct;
}
