// SPDX-License-Identifier: Apache-2.0

internal import CKithResolv
public import KithClient
internal import KithCore

/// Looks up TXT records with the system's resolver, at the name servers of `/etc/resolv.conf`.
///
/// The system call blocks a thread until it ends; the caller returns after five seconds, or when
/// cancelled.
public struct SystemTextRecords: TextRecords {
  /// A name server to ask instead of the system's.
  struct Server: Sendable {
    let address: String
    let port: UInt16
  }

  /// The maximum time of a lookup.
  package static let limit = Duration.seconds(5)
  /// The timeout of one attempt at a name server, in seconds: the second one ends within ``limit``.
  private static let secondsPerTry: Int32 = 2
  /// The maximum size of a response in bytes; those of handles have a few hundred.
  private static let mostBytes = 16 << 10

  private let server: Server?
  private let limit: Duration

  /// Creates a resolver that asks the name servers of the system.
  public init() { self.init(server: nil) }

  init(server: Server?, limit: Duration = Self.limit) {
    self.server = server
    self.limit = limit
  }

  public func texts(of name: String) async throws -> [String] {
    // The resolver could read a longer name with other labels, or as none.
    guard name.utf8.count <= 253 else { return [] }
    let late = TransportError(.timedOut, host: name, detail: "no response from the DNS")
    let answer = try await BlockingCall.run(atMost: limit, orThrow: late) { [server] in
      try Self.ask(server, for: name)
    }
    guard let answer else { return [] }
    guard let texts = DNSAnswer(answer)?.texts(of: name) else {
      throw TransportError(.malformedResponse, host: name, detail: "the DNS response is malformed")
    }
    return texts
  }

  /// - Returns: The response as received; nil if the name has no such records.
  private static func ask(_ server: Server?, for name: String) throws -> [UInt8]? {
    var answer = [UInt8](repeating: 0, count: mostBytes)
    let length = kith_text_records(
      name, server?.address, server?.port ?? 0, secondsPerTry, &answer, Int32(mostBytes))
    switch length {
    case KITH_NO_RECORDS: return nil
    case 1...: return Array(answer.prefix(Int(length)))
    default:
      let detail = "the DNS could not be reached, or failed"
      throw TransportError(.cannotResolveHost, host: name, detail: detail)
    }
  }
}
