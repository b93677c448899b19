#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the signatures of api.h against those of cuda.h: cuda_api.py API.H PREPROCESSED-CUDA.H

Parameters are compared by how they are passed: a pointer, a number of 1, 4 or 8 bytes.
"""

import re
import sys

SIZES = {"ki_cu_ptr": 8, "size_t": 8, "CUdeviceptr": 8, "CUdeviceptr_v2": 8, "unsigned long long": 8,
         "unsigned char": 1}
HANDLES = r"\b(CUcontext|CUstream|CUevent|CUmodule|CUfunction|ki_cu_(context|stream|event|module|function))\b"


def passed(parameter):
    p = parameter.strip()
    if p in ("", "void"):
        return None
    if "*" in p or "[" in p or re.search(HANDLES, p):
        return "pointer"
    for name, size in SIZES.items():
        if re.search(r"\b" + name + r"\b", p):
            return size
    return 4


def parameters(text):
    return [p for p in map(passed, text.split(",")) if p is not None]


api = re.sub(r"/\*.*?\*/|\\\n", " ", open(sys.argv[1], encoding="utf-8").read(), flags=re.S)
cuda = open(sys.argv[2], encoding="utf-8").read()
faults = found = 0
for symbol, ours in re.findall(r'X\(\w+, \w+, "(\w+)",\s*\(([^()]*)\)\)', api):
    theirs = re.search(r"\b" + symbol + r"\s*\(([^()]*)\)\s*;", cuda)
    if theirs is None:
        # A header of another version may have it under another name alone.
        print(f"# {symbol}: not declared by this cuda.h")
        continue
    found += 1
    if parameters(ours) != parameters(theirs.group(1)):
        print(f"# {symbol}: ours {parameters(ours)}, theirs {parameters(theirs.group(1))}")
        faults += 1
print(f"# {found} signatures compared")
sys.exit(0 if found >= 30 and faults == 0 else 1)
