// SPDX-License-Identifier: MIT
import ArgumentParser
struct Decode: Subcommand { func perform() throws {} }
