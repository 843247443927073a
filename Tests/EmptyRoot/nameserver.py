# SPDX-License-Identifier: MIT
"""A name server on 127.0.0.1: an A record of 192.0.2.9 for "dns.example", NXDOMAIN for all else."""
import socket

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
print("ready", flush=True)
while True:
    query, client = server.recvfrom(512)
    end = query.index(b"\0", 12) + 5
    known = query[12:end - 4] == b"\x03dns\x07example\0"
    asks_for_a = query[end - 4:end - 2] == b"\0\x01"
    answer = b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\xc0\0\x02\x09" if known and asks_for_a else b""
    flags = b"\x81\x80" if known else b"\x81\x83"
    server.sendto(query[:2] + flags + b"\0\x01" + (b"\0\x01" if answer else b"\0\0") + b"\0\0\0\0"
                  + query[12:end] + answer, client)
