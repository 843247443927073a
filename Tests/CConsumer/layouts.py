#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the members of the public structs from abidw's output: one line per member, with its offset and type.

    layouts.py FILE.abi

A struct that begins with `size` may grow at its end, so its size isn't printed. Any other struct's size is.
"""
import sys
import xml.etree.ElementTree

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
types = {element.get("id"): element for element in root.iter() if element.get("id")}


def name(identifier):
    element = types[identifier]
    below = element.get("type-id")
    if element.tag == "array-type-def":
        return name(below) + "".join(f"[{part.get('length')}]" for part in element if part.tag == "subrange")
    if element.tag == "pointer-type-def":
        return name(below) + " *"
    if element.tag == "qualified-type-def":
        return "const " + name(below)
    return element.get("name") or f"{element.tag} of {element.get('size-in-bits')} bits"


def members(element):
    for member in element.iter("data-member"):
        variable = member.find("var-decl")
        if variable.get("type-id") in types and types[variable.get("type-id")].get("is-anonymous"):
            for inner in members(types[variable.get("type-id")]):
                yield (variable.get("name") + "." + inner[0], *inner[1:])
        else:
            yield variable.get("name"), member.get("layout-offset-in-bits"), name(variable.get("type-id"))


for struct in types.values():
    found = list(members(struct)) if struct.tag == "class-decl" else []
    if not found or not struct.get("name").startswith("reach_"):
        continue
    if found[0][:2] != ("size", "0"):
        print(struct.get("name"), struct.get("size-in-bits"))
    for member, offset, kind in found:
        print(f"{struct.get('name')}.{member} at {offset}: {kind}")
