#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records rtnetlink datagrams as recv() returns them, each after its length (u32, host order).

record.py dump FILE WHAT     the answers to one dump
record.py events FILE        multicast events until stdin ends; prints "ready" once it receives them
"""
import select
import socket
import struct
import sys

# The type of the request, and its family (linux/rtnetlink.h).
DUMPS = {"links": (18, 0), "addresses": (22, 0), "routes4": (26, socket.AF_INET),
         "routes6": (26, socket.AF_INET6)}
# Links; addresses, routes, rules, and netconf of IPv4 and IPv6; nexthops.
GROUPS = (1, 5, 9, 7, 11, 8, 19, 24, 25, 32)
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, SO_RCVBUFFORCE = 270, 1, 33
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP = 1, 0x300


def open_socket() -> socket.socket:
    ret = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    ret.bind((0, 0))
    # Needs CAP_NET_ADMIN. An overrun ends the recording with an error.
    try:
        ret.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    except PermissionError:
        ret.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
    return ret


def record(source: socket.socket, file) -> bytes:
    """Waits for a datagram, and writes it, padded so that the next one is aligned."""
    datagram, _, flags, _ = source.recvmsg(256 << 10)
    if flags & socket.MSG_TRUNC:
        raise SystemExit("record.py: a datagram is too long")
    file.write(struct.pack("=I", len(datagram)) + datagram + bytes(-len(datagram) % 4))
    return datagram


def ends_dump(datagram: bytes) -> bool:
    at = 0
    while at < len(datagram):
        length, kind = struct.unpack_from("=IH", datagram, at)
        if kind in (NLMSG_ERROR, NLMSG_DONE):
            return True
        at += length + -length % 4
    return False


def record_dump(file, what: str) -> None:
    kind, family = DUMPS[what]
    source = open_socket()
    source.send(struct.pack("=IHHIIB11x", 28, kind, NLM_F_REQUEST | NLM_F_DUMP, 1, 0, family))
    while not ends_dump(record(source, file)):
        pass


def record_events(file) -> None:
    source = open_socket()
    for group in GROUPS:
        source.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
    print("ready", flush=True)
    # Events of changes before the end are queued by then.
    while source in select.select([source, sys.stdin], [], [])[0]:
        record(source, file)


with open(sys.argv[2], "wb") as output:
    if sys.argv[1] == "dump":
        record_dump(output, sys.argv[3])
    else:
        record_events(output)
