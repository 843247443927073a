// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

/// Uses a self-signed certificate, and the HTTPS server of openssl.
@Suite(
    "Probes of a server with a self-signed certificate", .needsNamespaces, .timeLimit(.minutes(10)))
struct TLSTests {
    private let networks: Networks
    private let folder: Folder

    init() throws {
        networks = try Networks()
        folder = try Folder("reach-tls")
    }

    private var certificate: String { folder.file("certificate.pem").path }

    /// Starts a server at 10.9.0.2:8443, with a self-signed certificate for that address.
    private func server() throws -> Child {
        let key = folder.file("key.pem").path
        let (output, status) = try Child.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-nodes", "-subj", "/CN=test", "-addext", "subjectAltName=IP:10.9.0.2", "-keyout", key,
            "-out", certificate,
        ])
        try #require(status == 0, "\(output)")
        var server = try Child(
            ["openssl", "s_server", "-accept", "8443", "-cert", certificate, "-key", key, "-www"],
            in: networks.first.descriptor)
        while let line = server.line(), line != "ACCEPT" {}
        return server
    }

    private func ask(_ caFile: String?) async throws -> ProbeAnswer {
        let probe = try ConnectivityProbe.http(
            "https://10.9.0.2:8443/", status: 200, caFile: caFile, timeout: .seconds(3600))
        return await probe.run(networks.target, .unknown)
    }

    @Test("The certificates of caFile and SSL_CERT_FILE replace the system's")
    func files() async throws {
        let server = try server()
        defer { kill(server.pid, SIGKILL) }
        let untrusted = try await ask(nil)
        #expect(untrusted.level == .limited && untrusted.failure?.code == .tls)
        #expect(untrusted.phases.keys.contains(.connect))
        let trusted = try await ask(certificate)
        #expect(trusted.level == .full)
        #expect(Set(trusted.phases.keys) == [.connect, .tls, .headers, .body])
        let missing = folder.file("missing.pem").path
        let none = try await ask(missing)
        // A missing file says nothing about the network.
        #expect(none.level == .unknown && none.failure?.code == .invalidProbe)
        #expect(none.failure?.description.contains("'\(missing)'") == true)
        for (file, level) in [(certificate, "full"), (missing, "unknown ("), ("", "limited (")] {
            var child = try Child(
                [
                    "env", "SSL_CERT_FILE=\(file)", program("reachctl"), "watch",
                    "--connectivity", "https://10.9.0.2:8443/", "--connectivity-status", "200",
                ], in: networks.host.descriptor)
            var line = child.line()
            while let text = line, !text.contains("\tconnectivity\t") {
                line = child.line()
            }
            #expect(line?.contains("\tconnectivity\t\(level)") == true, "\(line ?? "")")
            kill(child.pid, SIGTERM)
        }
    }
}
