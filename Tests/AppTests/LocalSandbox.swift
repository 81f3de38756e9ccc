// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient

/// `kith sandbox` as a process of its own, with a folder for the files of the app.
final class LocalSandbox {
  let service: ServiceURL
  let folder = FileManager.default.temporaryDirectory.path() + "kith-app-\(UUID().uuidString)"
  private let process = Process()

  init() throws {
    struct Start: Decodable { let appview: String }
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "kith")
    process.arguments = ["sandbox", "--accounts", "100"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CocoaError(.fileReadUnknown) }
      line += more
    }
    service = try ServiceURL(parsing: try JSONDecoder().decode(Start.self, from: line).appview)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The sandbox as all services of a network.
  func network(over transport: any HTTPTransport) -> ServiceNetwork {
    .sandbox(at: service, transport: transport)
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
