"""Builds a dataset with Spark: one task a slice, then one task that merges them.

    spark-submit engines/spark/turnmill_job.py IN... --out OUT --slices N [--parts DIR] [--replace] [-- OPTIONS OF BUILD]
"""

import pathlib
import sys

from pyspark import SparkConf, SparkContext, cloudpickle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import turnmill_slices as slices  # noqa: E402

# executors need no copy of the file
cloudpickle.register_pickle_by_value(slices)


def run(args, parts, options):
    context = SparkContext.getOrCreate(SparkConf().setAppName("turnmill"))
    each = max(1, context.defaultParallelism)
    found = context.parallelize(range(each), each).map(lambda _: slices.preflight()).distinct().collect()
    print("\n".join(sorted(found)))
    numbers = context.parallelize(range(1, args.slices + 1), args.slices)
    built = numbers.map(lambda i: slices.build_slice(args.inputs, parts, i, args.slices, options)).collect()
    print("\n".join(built))
    # on an executor, because the machine of the driver may not see the files
    merged = context.parallelize([args.out], 1).map(
        lambda out: slices.merge(parts, args.slices, out, args.replace)
    )
    return merged.first()


slices.job("Builds a dataset with Spark.", run)
