#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls the installed library with cffi, which parses the headers as they are.

    Tests/CConsumer/consumer.py PREFIX
"""
import subprocess, sys

from cffi import FFI

prefix = sys.argv[1]
ffi = FFI()
ffi.cdef(subprocess.run(["cpp", "-P", "-DREACH_CDEF", f"-I{prefix}/include", f"{prefix}/include/reach/reach.h"],
                        capture_output=True, text=True, check=True).stdout)
reach = ffi.dlopen(f"{prefix}/lib/libreach.so.1")
target = ffi.new("struct reach_target *", {"size": ffi.sizeof("struct reach_target")})
state = ffi.new("struct reach_state *", {"size": ffi.sizeof("struct reach_state")})
address = ffi.new("struct reach_address *")
words = ffi.new("char[256]")
assert reach.reach_address_parse(b"127.0.0.1", address) == 0
target.kind, target.remote = reach.REACH_TARGET_ADDRESS, address[0]
assert reach.reach_check(target, ffi.NULL, 0, state) == 0
reach.reach_flags_words(state.flags, words, 256)
assert ffi.string(words) == b"Reachable,Local Address", ffi.string(words)
assert ffi.string(state.interface_name) == b"lo", ffi.string(state.interface_name)
