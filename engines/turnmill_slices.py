"""Builds and merges slices with the command turnmill, for jobs of Spark and Ray."""

import argparse
import os
import subprocess
import sys
import time

SUCCESS, REJECTIONS = 0, 3
# sysexits: the arguments, the datasets or the settings are wrong, so that another attempt fails too
FINAL = (64, 65, 78)
EXISTS, LOCKED = 73, 75
LOCK_SECONDS = 5
SHOWN_CHARS = 2000

# Ends the command when standard input ends: engines kill the Python of a task, but not what it has started.
WATCH = 'exec 3<&0; "$@" </dev/null & job=$!; { cat <&3; kill "$job"; } >/dev/null 2>&1 & wait "$job"'


class SliceFailed(Exception):
    """A slice that another attempt may build."""


class SliceRefused(Exception):
    """A slice that no attempt can build."""


def turnmill(*arguments):
    """Runs the command. Returns its status and the end of what it printed."""
    command = [os.environ.get("TURNMILL_BIN", "turnmill"), *arguments]
    process = subprocess.Popen(
        ["sh", "-c", WATCH, "sh", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    text = process.stdout.read().decode(errors="replace")
    status = process.wait()
    process.stdin.close()
    return status, text[-SHOWN_CHARS:].strip()


def preflight():
    """The versions of turnmill and Node on this machine, as a line of text."""
    status, text = turnmill("--version")
    if status != SUCCESS:
        raise SliceRefused(f"{os.uname().nodename}: turnmill --version ends with {status}: {text}")
    try:
        node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise SliceRefused(f"{os.uname().nodename}: no node on the path: {error}") from error
    return f"{os.uname().nodename}: turnmill {text}, node {node}"


def part_of(parts, index):
    return f"{parts.rstrip('/')}/{index}" + ("/" if parts.startswith("s3://") else "")


def build_slice(inputs, parts, index, of, options):
    """Builds one slice unless it is whole already. Returns the last line that turnmill printed."""
    preflight()
    part = part_of(parts, index)
    if not parts.startswith("s3://"):
        os.makedirs(parts, exist_ok=True)
    while True:
        status, text = turnmill("build", *inputs, "--out", part, "--slice", f"{index}/{of}", *options)
        if status != LOCKED:
            break
        time.sleep(LOCK_SECONDS)  # another attempt builds the slice
    if status == EXISTS:
        status, text = turnmill("verify", part)
    if status in (SUCCESS, REJECTIONS):
        return f"slice {index} of {of}: {text.splitlines()[0] if text else 'built'}"
    fault = SliceRefused if status in FINAL else SliceFailed
    raise fault(f"slice {index} of {of} ends with {status}: {text}")


def merge(parts, of, out, replace):
    """Merges all slices. Returns the status of turnmill merge and what it printed."""
    datasets = [part_of(parts, index) for index in range(1, of + 1)]
    return turnmill("merge", *datasets, "--out", out, *(["--replace"] if replace else []))


def job(described, run):
    """Reads the arguments of the job, runs it, and ends with the status of the merge."""
    own, options = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, options = own[:at], own[at + 1 :]
    parser = argparse.ArgumentParser(description=described, epilog="Options of turnmill build come after --.")
    parser.add_argument("inputs", nargs="+", metavar="IN", help="a folder, a file or an s3:// URL")
    parser.add_argument("--out", required=True, help="the merged dataset")
    parser.add_argument("--slices", required=True, type=int, metavar="N")
    parser.add_argument("--parts", metavar="DIR", help="where the slices are written; OUT.parts by default")
    parser.add_argument("--replace", action="store_true", help="replace OUT")
    args = parser.parse_args(own)
    if args.slices < 1:
        parser.error("--slices takes a number from 1")
    parts = args.parts or f"{args.out.rstrip('/')}.parts"
    status, text = run(args, parts, options)
    print(text)
    sys.exit(status)
