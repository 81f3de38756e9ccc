// SPDX-License-Identifier: Apache-2.0

/// What a call sends that nobody may read in an error or a log: a server may quote it back, and some do.
///
/// Never shown itself, as ``SessionToken`` is not.
struct HiddenSecrets: Sendable {
  /// Stands for what was taken out.
  private static let replacement = "…"
  /// A piece of a token that is this long goes too: servers break lines and shorten what they quote.
  private static let shortestPiece = 8

  private let tokens: [String]
  private let passwords: [String]

  /// Takes what is secret; nil or empty is nothing.
  ///
  /// - Parameters:
  ///   - tokens: nobody says any part of them by chance, so that parts of them are taken out as well.
  ///   - passwords: what people choose, parts of which stand in harmless sentences: taken out as a whole.
  init(tokens: [String?] = [], passwords: [String?] = []) {
    self.tokens = tokens.compactMap(\.self).filter { !$0.isEmpty }
    self.passwords = passwords.compactMap(\.self).filter { !$0.isEmpty }
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { tokens.isEmpty && passwords.isEmpty }

  /// The text without the secrets.
  func clean(_ text: String) -> String {
    passwords.reduce(tokens.reduce(text) { Self.clean($0, of: $1) }) { Self.clean($0, ofWhole: $1) }
  }

  /// By bytes, for a mark that follows makes another character of the secret's last one.
  private static func clean(_ text: String, ofWhole secret: String) -> String {
    let secret = Array(secret.utf8)
    var (cleaned, rest) = ([UInt8](), Array(text.utf8)[...])
    while let range = rest.firstRange(of: secret) {
      cleaned += rest[..<range.lowerBound] + replacement.utf8
      rest = rest[range.upperBound...]
    }
    return cleaned.isEmpty ? text : String(decoding: cleaned + rest, as: UTF8.self)
  }

  private static func clean(_ text: String, of token: String) -> String {
    let (bytes, token) = (Array(text.utf8), Array(token.utf8))
    let length = min(token.count, shortestPiece)
    let pieces = Set(windows(of: length, in: token))
    var cleaned: [UInt8] = []
    // What lies before is dealt with, and what lies before that is part of a piece.
    var (position, hiddenUntil) = (0, 0)
    for window in windows(of: length, in: bytes) {
      if pieces.contains(window) {
        if position >= hiddenUntil { cleaned += replacement.utf8 }
        hiddenUntil = position + length
      }
      if position >= hiddenUntil { cleaned.append(bytes[position]) }
      position += 1
    }
    guard hiddenUntil > 0 else { return text }
    cleaned += bytes[max(position, hiddenUntil)...]
    return String(decoding: cleaned, as: UTF8.self)
  }

  /// All runs of so many bytes, at most ``shortestPiece``, each as a number.
  private static func windows(of length: Int, in bytes: [UInt8]) -> [UInt64] {
    let mask = UInt64.max >> (64 - 8 * length)
    var window: UInt64 = 0
    var windows: [UInt64] = []
    windows.reserveCapacity(bytes.count)
    for (position, byte) in bytes.enumerated() {
      window = (window << 8 | UInt64(byte)) & mask
      if position >= length - 1 { windows.append(window) }
    }
    return windows
  }
}

extension HiddenSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "secrets" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
