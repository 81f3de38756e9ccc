// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An account on Mastodon or X that a person follows there.
public struct Contact: Sendable, Hashable {
  /// What speaks for an account being a contact.
  public enum Signal: String, Sendable, Hashable, CaseIterable {
    /// The bridge of Bridgy Fed gives the contact's Mastodon account this handle.
    case bridge
    /// The handle begins with the contact's name.
    case handle
    /// The display names are the same.
    case name
    /// The description names the contact's account elsewhere.
    case bio
  }

  /// The longest name that is looked for; Mastodon has 30 characters and X 15.
  private static let longestName = 64

  /// What a file says.
  public let text: String
  /// The name on the other network.
  public let name: String
  /// The server of a Mastodon account; nil for X.
  public let host: String?
  /// The display name, if the file has one.
  public let displayName: String?

  /// Parses `@name@server`, `name@server`, `https://server/@name`, `https://x.com/name`, `@name` or `name`; nil for any other
  /// text.
  public init?(_ text: String, displayName: String? = nil) {
    let trimmed = ActorInput.trim(text)
    var address = trimmed
    var host: Substring?
    for scheme in ["https://", "http://"] where address.hasPrefix(scheme) {
      let parts = address.dropFirst(scheme.count).split(separator: "/", maxSplits: 2)
      guard parts.count >= 2 else { return nil }
      address = parts[1].prefix { $0 != "?" && $0 != "#" }
      if !Self.hostsOfX.contains(parts[0].lowercased()) { host = parts[0] }
    }
    if address.hasPrefix("@") { address = address.dropFirst() }
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    if parts.count == 2, host == nil {
      (address, host) = (parts[0], parts[1])
    } else if parts.count != 1 {
      return nil
    }
    guard Self.isName(address), host.map({ Handle(String($0)) != nil }) ?? true else { return nil }
    self.text = String(trimmed)
    name = address.lowercased()
    self.host = host?.lowercased()
    self.displayName = displayName.flatMap { ActorInput.trim($0).isEmpty ? nil : String(ActorInput.trim($0)) }
  }

  private static let hostsOfX: Set<String> = [
    "x.com", "www.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com",
  ]

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.count <= longestName
      && text.utf8.allSatisfy { byte in
        byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "-")
      } && !text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// The handle that Bridgy Fed gives a Mastodon account, if its owner lets it be bridged; nil for X.
  public var bridgedHandle: Handle? {
    host.flatMap { Handle("\(name.replacing("_", with: "-")).\($0).ap.brid.gy") }
  }

  /// What speaks for an account being this contact; nothing for an account without a valid handle.
  public func signals(of view: AccountView) -> [Signal] {
    guard let handle = view.handle, !handle.isInvalid else { return [] }
    var signals: [Signal] = []
    if handle == bridgedHandle { signals.append(.bridge) }
    let stem = handle.description.prefix { $0 != "." }
    if Self.letters(stem) == Self.letters(name[...]), !Self.letters(stem).isEmpty { signals.append(.handle) }
    if let displayName, let other = view.displayName, !displayName.isEmpty,
      FoldedText(displayName) == FoldedText(String(ActorInput.trim(other)))
    {
      signals.append(.name)
    }
    if let bio = view.description?.lowercased(), addresses.contains(where: { Self.names($0, in: bio) }) {
      signals.append(.bio)
    }
    return signals
  }

  /// How a description may name the account.
  private var addresses: [String] {
    guard let host else { return ["x.com/\(name)", "twitter.com/\(name)"] }
    return ["\(name)@\(host)", "\(host)/@\(name)"]
  }

  /// Whether a text names an address, and not a longer one.
  private static func names(_ address: String, in text: String) -> Bool {
    text.ranges(of: address).contains { range in
      let next = text[range.upperBound...].utf8.first
      let before = text[..<range.lowerBound].utf8.last
      return next.map { !$0.isLetterOrDigit && $0 != UInt8(ascii: "_") } ?? true
        && before.map { !$0.isLetterOrDigit && $0 != UInt8(ascii: "_") } ?? true
    }
  }

  private static func letters(_ text: Substring) -> [UInt8] { text.utf8.filter(\.isLetterOrDigit) }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
