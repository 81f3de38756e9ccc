// SPDX-License-Identifier: Apache-2.0

/// The words with which accounts describe themselves, and how many of them use each.
///
/// A word is a run of letters in lower case. Addresses, handles and words that carry little meaning, such as "and", are left
/// out. Of texts in Japanese and Chinese, runs of Han characters and of katakana count as words.
public struct BioWords: Sendable, Hashable {
  /// A word.
  public struct Entry: Sendable, Hashable {
    public let word: String
    /// The accounts that use it.
    public let count: Int
    /// Their share of the accounts that say something about themselves.
    public let share: Estimate
  }

  /// The most used word first; equal ones in the order of the alphabet.
  public let entries: [Entry]
  /// The accounts that say something about themselves.
  public let accounts: Int

  /// A word of fewer accounts than this would say who they are.
  public static let fewestAccounts = 3
  /// The characters of a description that are read; apps show fewer.
  private static let mostCharacters = 512

  /// Counts the words of descriptions, each once for each account.
  ///
  /// - Parameter most: how many words to keep.
  public init(of descriptions: some Sequence<String>, most: Int = 20) {
    var (counts, accounts) = ([String: Int](), 0)
    for description in descriptions {
      let text = description.prefix(Self.mostCharacters)
      if text.allSatisfy(\.isWhitespace) { continue }
      accounts += 1
      for word in Self.words(in: text) { counts[word, default: 0] += 1 }
    }
    self.accounts = accounts
    entries = counts.filter { $0.value >= Self.fewestAccounts }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(max(0, most))
      .compactMap { word, count in
        Estimate.share(count, of: accounts).map { Entry(word: word, count: count, share: $0) }
      }
  }

  /// The distinct words of a text.
  static func words(in text: some StringProtocol) -> Set<String> {
    var words: Set<String> = []
    for part in text.split(whereSeparator: \.isWhitespace) where !isAddress(part) {
      var run = (script: Script.none, letters: "")
      for character in part {
        let script = Script(of: character)
        if script != run.script {
          if let word = word(run.letters, run.script) { words.insert(word) }
          run = (script, "")
        }
        run.letters.append(character)
      }
      if let word = word(run.letters, run.script) { words.insert(word) }
    }
    return words
  }

  private static func word(_ letters: String, _ script: Script) -> String? {
    let lengths =
      switch script {
      case .none, .hiragana: 0..<0
      // A single character is rarely a word of its own.
      case .han, .katakana: 2..<13
      case .other: 3..<31
      }
    guard lengths.contains(letters.count) else { return nil }
    let word = letters.lowercased()
    return StopWords.all.contains(word) ? nil : word
  }

  /// Whether a part of a text is a handle, a page or a mail address.
  private static func isAddress(_ part: some StringProtocol) -> Bool {
    if part.contains("@") || part.contains("://") { return true }
    return part.split(separator: ".").dropFirst().contains { $0.first?.isLetter == true }
  }

  /// How letters make words.
  private enum Script {
    /// Not a letter.
    case none
    /// Written without spaces: names and nouns.
    case han, katakana
    /// Written without spaces: endings and words that carry little meaning.
    case hiragana
    /// Written with spaces.
    case other

    init(of character: Character) {
      switch character.unicodeScalars.first?.value ?? 0 {
      case 0x3041...0x309F: self = .hiragana
      case 0x30A1...0x30FA, 0x30FC...0x30FE, 0x31F0...0x31FF, 0xFF66...0xFF9F: self = .katakana
      case 0x3005, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: self = .han
      default: self = character.isLetter ? .other : .none
      }
    }
  }
}
