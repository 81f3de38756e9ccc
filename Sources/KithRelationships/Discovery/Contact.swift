// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An account on Mastodon or X that a person follows there, or one of Bluesky among them.
public struct Contact: Sendable, Hashable {
  /// What speaks for an account being a contact.
  public enum Signal: String, Sendable, Hashable, CaseIterable {
    /// The bridge of Bridgy Fed gives the contact's Mastodon account this handle.
    case bridge
    /// The contact is this account: people on Mastodon follow accounts of Bluesky as `name@bsky.brid.gy`.
    case account
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
  /// The server of a Mastodon account; nil for others.
  public let host: String?
  /// The account that the contact is; nil for one on another network.
  public let account: ATIdentifier?
  /// The display name, if the file has one.
  public let displayName: String?

  /// Parses `@name@server`, `name@server`, `https://server/@name`, `https://server/users/name`, `https://x.com/name`, `@name` or
  /// `name`; and an account of Bluesky: `handle@bsky.brid.gy`, `https://bsky.app/profile/handle`, a handle or a DID. Nil for any
  /// other text: other paths name something else.
  public init?(_ text: String, displayName: String? = nil) {
    let trimmed = ActorInput.trim(text)
    guard let named = Self.named(trimmed) else { return nil }
    self.text = String(trimmed)
    self.displayName = displayName.flatMap { ActorInput.trim($0).isEmpty ? nil : String(ActorInput.trim($0)) }
    (name, host) = (named.name.lowercased(), named.host?.lowercased())
    account = Self.account(named)
    if account == nil {
      guard host != Self.bridgeOfBluesky, Self.isName(named.name), host.map({ Handle($0) != nil }) ?? true
      else { return nil }
    }
  }

  /// The bridge by which people on Mastodon follow accounts of Bluesky.
  private static let bridgeOfBluesky = "bsky.brid.gy"

  /// The parts of an address; nil for a text that is none.
  private static func named(_ text: Substring) -> (name: Substring, host: Substring?)? {
    if let scheme = ["https://", "http://"].first(where: text.hasPrefix) {
      return named(inURL: text.dropFirst(scheme.count))
    }
    if DID(String(text)) != nil { return (text, nil) }
    let parts = (text.hasPrefix("@") ? text.dropFirst() : text)
      .split(separator: "@", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return (parts[0], nil)
    case 2: return (parts[0], parts[1])
    default: return nil
    }
  }

  private static func named(inURL url: Substring) -> (name: Substring, host: Substring?)? {
    let parts = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    guard let host = parts.first else { return nil }
    switch parts.count {
    case 2 where hostsOfX.contains(host.lowercased()):
      let name = parts[1].hasPrefix("@") ? parts[1].dropFirst() : parts[1]
      return pagesOfX.contains(name.lowercased()) || name.contains(".") ? nil : (name, nil)
    case 2 where parts[1].hasPrefix("@"):
      // A server shows an account of another one as `@name@other`.
      let named = parts[1].dropFirst().split(separator: "@", omittingEmptySubsequences: false)
      return named.count > 2 ? nil : (named[0], named.count == 2 ? named[1] : host)
    case 3 where parts[1] == "users" && !hostsOfX.contains(host.lowercased()): return (parts[2], host)
    case 3 where parts[1] == "profile":
      return (ActorInput.name(inSegment: ActorInput.decoded(parts[2])), Substring(bridgeOfBluesky))
    default: return nil
    }
  }

  /// The account of Bluesky that an address means.
  private static func account(_ named: (name: Substring, host: Substring?)) -> ATIdentifier? {
    guard named.host == nil || named.host?.lowercased() == bridgeOfBluesky else { return nil }
    // Names on X have no dot.
    return named.name.contains(".") || named.name.hasPrefix("did:")
      ? try? ATIdentifier(parsing: named.name) : nil
  }

  /// Pages of X whose addresses look like those of accounts.
  private static let pagesOfX: Set<String> = [
    "compose", "explore", "hashtag", "home", "i", "intent", "messages", "notifications", "search", "settings",
    "share",
  ]

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

  /// The handle that Bridgy Fed gives a Mastodon account, if its owner lets it be bridged; nil for others.
  public var bridgedHandle: Handle? {
    if account != nil { return nil }
    return host.flatMap { Handle("\(name.replacing("_", with: "-")).\($0).ap.brid.gy") }
  }

  /// Whether signals are enough to take an account for the contact.
  public static func areEnough(_ signals: [Signal]) -> Bool {
    signals.contains(.account) || signals.count >= neededSignals
  }

  /// How many signals an account needs, unless it is the contact itself.
  public static let neededSignals = 2

  /// What speaks for an account being this contact; nothing for an account without a valid handle.
  public func signals(of view: AccountView) -> [Signal] {
    if let account {
      return account == .did(view.account) || account == view.handle.map { .handle($0) } ? [.account] : []
    }
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
