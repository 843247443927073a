// SPDX-License-Identifier: MIT

import NetworkPath
import NetworkReachability
import ReachabilityConnectivity
import SystemServices

/// `Elsewhere values` prints values, `Elsewhere` what monitors and queries do.
@main
struct Elsewhere {
    @MainActor static func main() async throws {
        guard CommandLine.arguments.count == 1 else { return printValues() }
        let manager = try NetworkReachabilityManager(domain: "www.example.com")
        await attempt("start") { () async throws(ReachabilityError) in
            try manager.startMonitoring()
            manager.stopMonitoring()
        }
        await attempt("currentSnapshot") { () async throws(ReachabilityError) in
            _ = try NetworkReachabilityManager(address: "127.0.0.1").currentSnapshot()
        }
        await attempt("explanation") { () async throws(ReachabilityError) in
            _ = try NetworkReachabilityManager(address: "127.0.0.1").explanation()
        }
        await attempt("wait") { () async throws(ReachabilityError) in
            try await NetworkReachabilityManager(address: "127.0.0.1").wait { _ in true }
        }
        await attempt("snapshots") { () async throws(ReachabilityError) in
            for try await _ in manager.snapshots { break }
        }
        await attempt("host") { () async throws(ReachabilityError) in
            _ = try NetworkHost.current()
        }
        await attempt("host's updates") { () async throws(ReachabilityError) in
            for try await _ in NetworkHost.updates() { break }
        }
        await attempt("interfaces") { () async throws(ReachabilityError) in
            _ = try NetworkInterface.all()
        }
        await attempt("modems") { () async throws(ReachabilityError) in
            CellularRadio.shared.informReachability().cancel()
            let error = CellularRadio.shared.currentState(timeout: .seconds(1)).error
            if let error, error.code == .unsupportedSystem { throw error }
        }
        print("properties:", manager.isMonitoring, manager.networkReachabilityStatus)
        let connectivity = try await ConnectivityMonitor(probe: .custom { _ in .full }).check()
        print("connectivity:", connectivity.level, connectivity.failure?.description ?? "")
        for await path in NWPathMonitor() {
            print("path:", path.status)
            break
        }
    }

    @MainActor private static func attempt(
        _ name: String, _ body: () async throws(ReachabilityError) -> Void
    ) async {
        do throws(ReachabilityError) {
            try await body()
            print("\(name): works")
        } catch {
            print("\(name): \(error.code): \(error)")
        }
    }
}
