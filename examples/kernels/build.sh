#!/usr/bin/env bash
# Makes quickstart.ptx from quickstart.cu. It needs neither a GPU nor a CUDA toolkit: the compiler is NVIDIA's NVRTC,
# fetched from PyPI by its hash into a folder that is removed again. x86-64 Linux with python3 and pip.
#
# An old compiler and an old target on purpose: PTX loads on drivers at least as new as the compiler (CUDA 12.1,
# PTX ISA 8.1) and on GPUs at least as new as the target (Pascal, 2016). Running this again gives the same file.
#
# With a CUDA 12 toolkit the same is
#     nvcc --ptx --gpu-architecture=compute_60 -o quickstart.ptx quickstart.cu
# (CUDA 13's nvcc starts at compute_75.)
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

cat >"$work/requirements.txt" <<'REQUIREMENTS'
nvidia-cuda-nvrtc-cu12==12.1.105 --hash=sha256:339b385f50c309763ca65456ec75e17bbefcbbf2893f462cb8b90584cd27a1c2
REQUIREMENTS
python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --requirement "$work/requirements.txt" --dest "$work"
python3 -m zipfile -e "$work"/nvidia_cuda_nvrtc_cu12-*.whl "$work/wheel"

python3 - "$work/wheel/nvidia/cuda_nvrtc/lib" quickstart.cu "$work/quickstart.ptx" <<'PYTHON'
import ctypes
import pathlib
import sys

lib, source, target = (pathlib.Path(argument) for argument in sys.argv[1:])
# NVRTC opens its builtins by bare name, which only finds a library that is loaded already.
ctypes.CDLL(str(lib / "libnvrtc-builtins.so.12.1"), mode=ctypes.RTLD_GLOBAL)
nvrtc = ctypes.CDLL(str(lib / "libnvrtc.so.12"))
nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p


def check(code):
    if code != 0:
        sys.exit("NVRTC: " + nvrtc.nvrtcGetErrorString(code).decode())


def text(program, size_of, get):
    size = ctypes.c_size_t()
    check(size_of(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    check(get(program, buffer))
    return buffer.value


options = [b"--gpu-architecture=compute_60", b"--std=c++14"]
program = ctypes.c_void_p()
check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None))
code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
sys.stderr.write(text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode())
check(code)
target.write_bytes(text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX))
PYTHON

mv -- "$work/quickstart.ptx" quickstart.ptx
