// SPDX-License-Identifier: Apache-2.0

/// The secrets of a call, which must not appear in an error or a log: servers may quote them back, and some
/// do.
///
/// Its own descriptions do not show them either, as with ``SessionToken``.
struct HiddenSecrets: Sendable {
  /// Replaces a removed secret.
  private static let replacement = "…"
  /// Pieces of a token of at least this length are removed too: servers break lines and shorten what they
  /// quote.
  private static let shortestPiece = 8

  private let tokens: [String]
  private let passwords: [String]

  /// Creates a value; nil and empty strings are ignored.
  ///
  /// - Parameters:
  ///   - tokens: Parts of them do not occur in text by chance, so parts are removed as well.
  ///   - passwords: Parts of what people choose occur in harmless sentences, so only the whole is removed.
  init(tokens: [String?] = [], passwords: [String?] = []) {
    self.tokens = tokens.compactMap(\.self).filter { !$0.isEmpty }
    self.passwords = passwords.compactMap(\.self).filter { !$0.isEmpty }
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { tokens.isEmpty && passwords.isEmpty }

  /// Returns the text without the secrets.
  func clean(_ text: String) -> String {
    passwords.reduce(tokens.reduce(text) { Self.clean($0, of: $1) }) { Self.clean($0, ofWhole: $1) }
  }

  /// Compares bytes, because a combining mark after the secret's last character would change that character.
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
    // The bytes before `position` are processed; those before `hiddenUntil` are part of a removed piece.
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

  /// Returns all runs of this many bytes, at most ``shortestPiece``, each as a number.
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
