// The kernels of the quickstart example, and two that the GPU tests and the benches use (`spin`, `empty`).
// quickstart.ptx is made from this file by build.sh.
//
// Blocks and grids are one-dimensional. Every loop strides over the whole grid, so a kernel is correct for any number
// of elements and any launch configuration of at most MAX_BLOCK threads a block.

#define MAX_BLOCK 1024

// 64-bit on purpose: blockIdx.x * blockDim.x wraps at 2^32 elements when it is left in 32 bits.
__device__ static size_t first() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ static size_t stride() { return (size_t)gridDim.x * blockDim.x; }

struct Add {
    static __device__ float identity() { return 0.0f; }
    static __device__ float apply(float a, float b) { return a + b; }
};

struct Max {
    static __device__ float identity() { return __int_as_float(0xff800000); } // -inf: NVRTC has no INFINITY
    static __device__ float apply(float a, float b) { return fmaxf(a, b); }
};

// Combines one value of each thread of the block; every thread gets the result.
template <typename Op>
__device__ static float block_reduce(float value) {
    __shared__ float part[MAX_BLOCK];
    part[threadIdx.x] = value;
    __syncthreads();
    // Halves are rounded up, so that a block need not be a power of two.
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (threadIdx.x < live - half) {
            part[threadIdx.x] = Op::apply(part[threadIdx.x], part[threadIdx.x + half]);
        }
        live = half;
        __syncthreads();
    }
    float result = part[0];
    __syncthreads(); // the next reduction writes part[0] while a slow thread may still read it
    return result;
}

// y = a * x + y
extern "C" __global__ void saxpy_f32(size_t n, float a, const float *__restrict__ x, float *__restrict__ y) {
    for (size_t i = first(); i < n; i += stride()) {
        y[i] = a * x[i] + y[i];
    }
}

template <typename T>
__device__ static void scale(size_t n, T a, T *x) {
    for (size_t i = first(); i < n; i += stride()) {
        x[i] *= a;
    }
}

// x = a * x
extern "C" __global__ void scale_f32(size_t n, float a, float *x) { scale(n, a, x); }
extern "C" __global__ void scale_f64(size_t n, double a, double *x) { scale(n, a, x); }

// y = a * x + b: one kernel that two places launch, which is what a profiler cannot tell apart by its name
extern "C" __global__ void map_kernel(size_t n, float a, float b, const float *__restrict__ x, float *__restrict__ y) {
    for (size_t i = first(); i < n; i += stride()) {
        y[i] = a * x[i] + b;
    }
}

// *total += the sum of x. Zero *total first.
extern "C" __global__ void sum_f32(size_t n, const float *__restrict__ x, float *total) {
    float sum = Add::identity();
    for (size_t i = first(); i < n; i += stride()) {
        sum += x[i];
    }
    sum = block_reduce<Add>(sum);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}

// y = softmax of each row of x, both rows x cols and row-major; one block works on a row at a time.
extern "C" __global__ void softmax_f32(size_t rows, size_t cols, const float *__restrict__ x, float *__restrict__ y) {
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *in = x + row * cols;
        float *out = y + row * cols;

        // Taking the largest value out keeps expf from overflowing and changes no result.
        float largest = Max::identity();
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x) {
            largest = fmaxf(largest, in[i]);
        }
        largest = block_reduce<Max>(largest);

        float sum = Add::identity();
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x) {
            float power = expf(in[i] - largest);
            out[i] = power;
            sum += power;
        }
        sum = block_reduce<Add>(sum);

        // Each thread reads back only what it wrote itself, so no barrier is needed before this.
        float inverse = 1.0f / sum;
        for (size_t i = threadIdx.x; i < cols; i += blockDim.x) {
            out[i] *= inverse;
        }
    }
}

__device__ static unsigned long long now_ns() {
    unsigned long long now;
    // volatile, or the compiler would read the clock once and loop on that
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Keeps the GPU busy for ns of the GPU's own clock, whose steps are about a microsecond on most GPUs.
extern "C" __global__ void spin(unsigned long long ns) {
    unsigned long long start = now_ns();
    while (now_ns() - start < ns) {
    }
}

extern "C" __global__ void empty() {}
