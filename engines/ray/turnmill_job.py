"""Builds a dataset with Ray: one task a slice, then one task that merges them.

    python engines/ray/turnmill_job.py IN... --out OUT --slices N [--parts DIR] [--replace] [-- OPTIONS OF BUILD]
"""

import pathlib
import sys

import ray
from ray import cloudpickle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import turnmill_slices as slices  # noqa: E402

# workers need no copy of the file
cloudpickle.register_pickle_by_value(slices)

RETRIES = 3


def run(args, parts, options):
    ray.init()  # the cluster of RAY_ADDRESS, or this machine
    print(ray.get(ray.remote(slices.preflight).remote()))
    # Ray repeats what a dead worker did, but errors of a function only if they are named
    build = ray.remote(max_retries=RETRIES, retry_exceptions=[slices.SliceFailed])(slices.build_slice)
    numbers = range(1, args.slices + 1)
    built = [build.remote(args.inputs, parts, i, args.slices, options) for i in numbers]
    print("\n".join(ray.get(built)))
    merge = ray.remote(max_retries=RETRIES)(slices.merge)
    return ray.get(merge.remote(parts, args.slices, args.out, args.replace))


slices.job("Builds a dataset with Ray.", run)
