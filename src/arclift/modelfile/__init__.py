"""Models on disk: data only, nothing is executed on load."""

from arclift.modelfile.container import MAJOR, MINOR, ModelFile, read, write, write_whole

__all__ = ["MAJOR", "MINOR", "ModelFile", "read", "write", "write_whole"]
