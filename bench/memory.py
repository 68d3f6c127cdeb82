"""Memory: how much a treebank takes when it is loaded, and a stream of five gigabytes while it flows through.

In memory: the peak of a process that loads a file, less that of one that loads a tiny file, over the file's
size. Streaming: the peak of ``arclift projectivize`` from standard input to nowhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, read_bytes, save, treebank_files

# Not ru_maxrss, which a process inherits from the one that started it.
PEAK = """
import sys
from pathlib import Path
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")), file=sys.stderr)
"""
LOAD = f"import arclift, sys; treebank = arclift.read_all(sys.argv[1]){PEAK}"
STREAM = f"""
from arclift.cli.main import main
assert main(['projectivize', '--scheme', 'head+path']) == 0{PEAK}"""
STREAM_BYTES = int(os.environ.get("ARCLIFT_STREAM_BYTES", 5 * 10**9))


def peak_of_loading(path: Path) -> int:
    done = subprocess.run([sys.executable, "-c", LOAD, str(path)], capture_output=True, text=True, check=True)
    return 1024 * int(done.stderr)


def peak_of_streaming(data: bytes, total: int) -> int:
    with subprocess.Popen(
        [sys.executable, "-c", STREAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stderr
        sent = 0
        while sent < total:
            process.stdin.write(data)
            sent += len(data)
        process.stdin.close()
        peak = int(process.stderr.read())
    assert process.returncode == 0
    return 1024 * peak


def main() -> None:
    tiny = ROOT / "examples" / "crossing.conllu"
    base = peak_of_loading(tiny)
    data = b"".join(read_bytes(path) for path in treebank_files("en_ewt", "pt_bosque"))
    loaded = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, copies in (("38 MB", 1), ("150 MB", 4)):
            path = Path(folder) / "treebank.conllu"
            path.write_bytes(data * copies)
            size = path.stat().st_size
            peak = peak_of_loading(path)
            loaded[name] = {
                "file_bytes": size,
                "peak_bytes": peak,
                "above_start_over_file": round((peak - base) / size, 2),
            }
    streamed = peak_of_streaming(data, STREAM_BYTES)
    save(
        "memory",
        {
            "start_bytes": base,
            "in_memory": loaded,
            "streaming": {"stream_bytes": STREAM_BYTES, "peak_megabytes": round(streamed / 1e6, 1)},
        },
    )


if __name__ == "__main__":
    main()
