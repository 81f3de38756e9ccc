// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An nginx of our own on a free loopback port that serves one JSON file over HTTP/1.1 keep-alive.
final class StaticServer {
  struct Failure: Error, CustomStringConvertible { let description: String }

  let url: URL
  private let folder: URL
  private let process: Process

  /// Starts the server and waits until it takes connections.
  init(bytes: Int) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "kith-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.document(bytes: bytes).write(to: folder.appending(path: "answer.json"))
    let port = try Self.freePort()
    url = URL(string: "http://127.0.0.1:\(port)/answer.json") ?? folder
    let configuration = folder.appending(path: "nginx.conf")
    try Data(Self.configuration(folder: folder.path, port: port).utf8).write(to: configuration)
    process = Process()
    process.executableURL = try Self.nginx()
    process.arguments = ["-c", configuration.path, "-e", folder.appending(path: "error.log").path]
    try process.run()
    try await waitUntilReachable()
  }

  /// Stops the server and removes what it wrote.
  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private func waitUntilReachable() async throws {
    for _ in 0..<200 {
      if (try? Data(contentsOf: url)) != nil { return }
      guard process.isRunning else { throw Failure(description: "nginx ended; see \(folder.path)/error.log") }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Failure(description: "nginx does not answer at \(url)")
  }

  /// An answer as `getRelationships` gives it, filled up to the size.
  private static func document(bytes: Int) -> Data {
    let head = #"{"actor":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","relationships":["#
    let row = #"{"$type":"app.bsky.graph.defs#relationship","did":"did:plc:bbbbbbbbbbbbbbbbbbbbbbbb"}"#
    var text = head + row
    while text.utf8.count + row.utf8.count + 3 <= bytes { text += "," + row }
    text += "]}"
    return Data((text + String(repeating: " ", count: max(0, bytes - text.utf8.count))).utf8)
  }

  private static func configuration(folder: String, port: UInt16) -> String {
    """
    daemon off; worker_processes 1; pid \(folder)/nginx.pid; error_log \(folder)/error.log warn;
    events { worker_connections 256; }
    http {
      access_log off; default_type application/json; tcp_nodelay on; sendfile on; tcp_nopush on;
      keepalive_requests 100000000; keepalive_timeout 75s; open_file_cache max=10;
      client_body_temp_path \(folder)/1; proxy_temp_path \(folder)/2; fastcgi_temp_path \(folder)/3;
      uwsgi_temp_path \(folder)/4; scgi_temp_path \(folder)/5;
      server { listen 127.0.0.1:\(port); root \(folder); }
    }
    """
  }

  private static func nginx() throws -> URL {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for folder in folders + ["/usr/sbin"] {
      let file = URL(filePath: folder).appending(path: "nginx")
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw Failure(description: "nginx was not found; install it with: apt-get install nginx-light")
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
    }
    guard status == 0 else { throw Failure(description: "no free port on loopback") }
    return UInt16(bigEndian: address.sin_port)
  }
}
