// SPDX-License-Identifier: MIT

import Client

print(canReach(host: "127.0.0.1").map(String.init) ?? "unknown")
