// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The base URL of a service: scheme, host, port, and a path prefix.
///
/// Written as `https://public.api.bsky.app`, without user, query or fragment. The host is in lower case,
/// trailing slashes are dropped and the scheme's default port is left out, so that equal services compare
/// equal.
public struct ServiceURL: Sendable, Hashable, LosslessStringConvertible {
  /// `https`, or `http` for a service on a trusted network.
  public let scheme: String
  /// A name or an IP address, IPv6 in brackets.
  public let host: String
  /// The port, if it is not the scheme's default.
  public let port: UInt16?
  /// Empty, or a path with a leading and without a trailing slash.
  public let path: String

  /// Parses a URL.
  ///
  /// - Throws: ``ServiceURL/Fault`` with the text and what is wrong with it.
  public init(parsing text: some StringProtocol) throws(Fault) {
    // Of a type that is known here: else a search in it looks through all conformances of the program.
    let text = String(text)
    func fault(_ reason: String) -> Fault {
      Fault(text: Self.withoutUser(text).shortened(toBytes: 256), reason: reason)
    }
    guard let mark = text.firstRange(of: "://") else {
      throw fault("it does not start with https:// or http://")
    }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "https" || scheme == "http" else { throw fault("the scheme is neither https nor http") }
    let remaining = text[mark.upperBound...]
    let authority = remaining.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = remaining.dropFirst(authority.count)
    guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw fault("it contains a user name") }
    guard !path.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      throw fault("it contains a query or a fragment")
    }
    guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw fault("the path contains spaces or control characters")
    }
    guard let (host, port) = Self.split(authority: authority) else {
      throw fault("the host or the port is malformed")
    }
    self.scheme = scheme
    self.host = host
    self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    var trimmed = Substring(String(path))
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    self.path = String(trimmed)
  }

  /// Creates the URL of a service that the source code names, such as `plc.directory`.
  package init(knownHost host: StaticString) {
    (scheme, self.host, port, path) = ("https", "\(host)", nil, "")
  }

  /// Parses a URL; nil if it is invalid.
  public init?(_ description: String) {
    do { try self.init(parsing: description) } catch { return nil }
  }

  private static func split(authority: some StringProtocol) -> (host: String, port: UInt16?)? {
    let host: String
    let tail: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = String(authority[...end])
      tail = Substring(String(authority[authority.index(after: end)...]))
      guard
        host.utf8.count(where: { $0 == UInt8(ascii: ":") }) >= 2,
        host.utf8.dropFirst().dropLast().allSatisfy({
          isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        })
      else {
        return nil
      }
    } else {
      let name = authority.prefix { $0 != ":" }
      host = String(name)
      tail = Substring(String(authority.dropFirst(name.count)))
      guard host.utf8.allSatisfy(isHostByte),
        host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
      else { return nil }
    }
    guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
    if tail.isEmpty { return (host.lowercased(), nil) }
    guard tail.hasPrefix(":"), tail.dropFirst().utf8.allSatisfy(isDigit), let port = UInt16(tail.dropFirst()),
      port > 0
    else {
      return nil
    }
    return (host.lowercased(), port)
  }

  /// Returns the text without what may be a user name and a password, because errors end up in logs.
  private static func withoutUser(_ text: some StringProtocol) -> String {
    guard let sign = text.lastIndex(of: "@") else { return String(text) }
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    guard start < sign else { return String(text) }
    return text[..<start] + "…" + text[sign...]
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
  }

  /// The host and port, as in a URL and in a `Host` field.
  public var authority: String { port.map { "\(host):\($0)" } ?? host }

  /// The scheme, host and port, which identify a server.
  public var origin: String { "\(scheme)://\(authority)" }

  public var description: String { origin + path }

  /// Whether requests cannot be read on their way: they use https, or stay on this machine.
  public var keepsSecrets: Bool { scheme == "https" || isLoopback }

  /// Whether the host is an address instead of a name, in any notation that a transport could read as one.
  package var hasAddress: Bool {
    if host.hasPrefix("[") { return true }
    guard let last = host.split(separator: ".").last else { return true }
    return last.lowercased().hasPrefix("0x") || last.utf8.allSatisfy(Self.isDigit)
  }

  /// Whether the host is this machine, by its name or its address.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Why a text is not a valid service URL.
  public struct Fault: CodedError {
    public static let domain = "service"

    /// The text without user name and password, cut after 256 bytes.
    public let text: String
    /// What is wrong, as a phrase.
    public let reason: String

    public var code: InvalidValueCode { .invalid }
    /// The reason with the text, and an example of a valid one.
    public var detail: String {
      "not a service URL such as https://public.api.bsky.app: \(reason): \"\(text)\""
    }
    public var errorDescription: String? { "This is not the address of a service: \(reason)." }
  }
}
