#!/usr/bin/env python3
"""What PyTorch's profiler and Triton's Proton cost on their own like: slow-down ratios, for the machine with the GPU.

    python3 benches/peers.py

Needs PyTorch with CUDA; Proton comes with Triton, which comes with PyTorch. Two programs, as in benches/src/bin/gpu: a
launch-bound loop of a small kernel, and a step of 240 kernels of 5 to 50 us that keeps the GPU busy. Each way takes its turn
in every round, and the ratios are taken within a round. Each profiler has a process of its own: what CUPTI has once been
attached to is not as it was. A turn of a profiler begins when it has started and ends before it stops, so what is shown is
what it does to the program while it records, and not what it does with the records later.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 15
LAUNCHES = 10_000
STEPS = 4
LAYERS = 24
MIB = 1 << 20


def looped(torch):
    """A kernel of one element, in a launch-bound loop: what `add_` costs is PyTorch's own dispatch and the launch."""
    x = torch.zeros(1, device="cuda")

    def run():
        for _ in range(LAUNCHES):
            x.add_(1.0)

    return run, LAUNCHES


def program(torch):
    """The step of benches/src/bin/gpu/model.rs in PyTorch's kernels, of the same sizes."""
    sizes = [MIB, 4 * MIB, 12 * MIB]
    x = {n: torch.zeros(n, device="cuda") for n in sizes}
    y = {n: torch.zeros(n, device="cuda") for n in sizes}
    rows, out = x[4 * MIB].view(-1, 2048), y[4 * MIB].view(-1, 2048)
    total = torch.zeros((), device="cuda")

    def layer():
        x[MIB].mul_(0.5)
        torch.add(x[4 * MIB], 1.0, out=y[4 * MIB])
        torch.add(x[4 * MIB], 1.0, out=y[4 * MIB])
        torch.softmax(rows, dim=1, out=out)
        y[4 * MIB].add_(x[4 * MIB], alpha=0.5)
        torch.sum(x[4 * MIB], dim=0, out=total)
        torch.add(x[12 * MIB], 1.0, out=y[12 * MIB])
        x[12 * MIB].mul_(0.5)
        y[4 * MIB].add_(x[4 * MIB], alpha=0.5)
        torch.add(x[MIB], 1.0, out=y[MIB])

    def run():
        for _ in range(STEPS):
            for _ in range(LAYERS):
                layer()
            torch.cuda.synchronize()

    return run, STEPS


PROGRAMS = {"looped": looped, "program": program}


@contextlib.contextmanager
def profiler(torch, cpu):
    activities = [torch.profiler.ProfilerActivity.CUDA]
    if cpu:
        activities.append(torch.profiler.ProfilerActivity.CPU)
    profile = torch.profiler.profile(activities=activities)
    profile.start()
    yield
    torch.cuda.synchronize()
    profile.stop()


@contextlib.contextmanager
def proton(torch):
    import triton.profiler

    with tempfile.TemporaryDirectory() as folder:
        session = triton.profiler.start(os.path.join(folder, "proton"))
        with triton.profiler.scope("turn"):
            yield
        torch.cuda.synchronize()
        triton.profiler.finalize(session)


@contextlib.contextmanager
def nothing(_):
    yield


PEERS = {
    "torch.profiler, CUDA": lambda torch: profiler(torch, cpu=False),
    "torch.profiler, CUDA and CPU": lambda torch: profiler(torch, cpu=True),
    "Triton's Proton": proton,
}


def turn(torch, way, run):
    with way(torch):
        torch.cuda.synchronize()
        began = time.perf_counter()
        run()
        return time.perf_counter() - began


def part(program_name, peer):
    import torch

    run, count = PROGRAMS[program_name](torch)
    bare, traced = [], []
    for index in range(ROUNDS + 1):
        plain, slowed = turn(torch, nothing, run), turn(torch, PEERS[peer], run)
        if index > 0:  # the first warms up
            bare.append(plain)
            traced.append(slowed)
    ratio = statistics.median(b / a for a, b in zip(bare, traced))
    each = [statistics.median(times) / count * 1e6 for times in (bare, traced)]
    print(f"{program_name:<10} {peer:<32} {each[0]:>12.2f} {each[1]:>12.2f} {ratio:>10.4f}", flush=True)


def main():
    if len(sys.argv) == 3:
        part(*sys.argv[1:])
        return 0
    print(f"{'':<10} {'':<32} {'us bare':>12} {'us with it':>12} {'/ bare':>10}", flush=True)
    failed = 0
    for name in PROGRAMS:
        for peer in PEERS:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), name, peer], check=False)
            if done.returncode:
                print(f"{name:<10} {peer:<32} did not run", flush=True)
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
