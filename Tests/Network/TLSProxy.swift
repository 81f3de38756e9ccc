// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import Testing

/// An nginx for one test that serves TLS and HTTP/2 in front of a server of the network, and can fail on
/// demand.
struct TLSProxy {
  let url: ServiceURL
  /// The file of the CA's certificate.
  let ca: String
  /// nginx's access log.
  let log: String
  private let folder: String
  private let settings: [String: String]
  private let arguments: [String]

  /// Runs a closure while the proxy is up, and takes the proxy down afterwards.
  ///
  /// - Parameter settings: the variables that `start-tls-proxy.sh` reads.
  static func with(
    _ server: ServiceURL, _ settings: [String: String] = [:], _ body: (TLSProxy) async throws -> Void
  ) async throws {
    let proxy = try TLSProxy(server, settings)
    defer { try? FileManager.default.removeItem(atPath: proxy.folder) }
    try await proxy.start()
    do { try await body(proxy) } catch {
      try? await proxy.stop()
      throw error
    }
    try await proxy.stop()
  }

  private init(_ server: ServiceURL, _ settings: [String: String]) throws {
    let port = try Self.freePort()
    self.settings = settings
    url = try ServiceURL(parsing: "https://localhost:\(port)")
    folder = FileManager.default.temporaryDirectory.appending(path: "kith-proxy-\(UUID().uuidString)").path
    (ca, log) = (folder + "/ca.pem", folder + "/access.log")
    arguments = [folder, "\(port)=\(server)"]
  }

  func start() async throws {
    let run = try await HarnessProcess("start-tls-proxy.sh", arguments, environment: settings)
    try #require(run.status == 0, "\(run.talk)")
  }

  /// Kills the server at once, with everything in flight.
  func stop() async throws {
    let run = try await HarnessProcess("down", [folder])
    try #require(run.status == 0, "\(run.talk)")
  }

  /// Makes the server close its connections gracefully and continue with a new process.
  func reload() async throws {
    let run = try await HarnessProcess("reload", [folder])
    try #require(run.status == 0, "\(run.talk)")
  }

  private static func freePort() throws -> UInt16 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return bind(listener, pointer, length) == 0 ? getsockname(listener, pointer, &length) : -1
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    return UInt16(bigEndian: address.sin_port)
  }
}
