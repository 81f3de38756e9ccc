// SPDX-License-Identifier: Apache-2.0

/// The text of a post, in one of a few languages.
struct PostWords {
  /// A language of posts.
  enum Language: String {
    case english = "en"
    case german = "de"
    case japanese = "ja"
    case portuguese = "pt"

    /// Chooses a language; most are English.
    init(share: UInt64) {
      switch share % 100 {
      case 0..<78: self = .english
      case 78..<88: self = .german
      case 88..<95: self = .japanese
      default: self = .portuguese
      }
    }
  }

  /// The language tag in the record.
  let language: String
  let text: String
  /// A short title for embedded content.
  let title: String

  /// - Parameter homeLanguage: the language of nine out of ten posts of the author.
  init(_ post: Post, homeLanguage: Language) {
    let traits = SplitMix64.mix(post.traits)
    let language = traits % 10 == 0 ? Language(share: traits >> 8) : homeLanguage
    let (openings, subjects) = Self.words(language)
    self.language = language.rawValue
    title = subjects[Int((traits >> 20) % UInt64(subjects.count))]
    text = "\(openings[Int((traits >> 40) % UInt64(openings.count))]) \(title)"
  }

  private static func words(_ language: Language) -> (openings: [String], subjects: [String]) {
    switch language {
    case .english: (englishOpenings, englishSubjects)
    case .german:
      (
        ["Heute gesehen:", "Lange nichts Neues über", "Empfehlung:"],
        ["Vögel im Park", "alte Karten", "Brot"]
      )
    case .japanese: (["今日の", "また読みました。", "写真です。"], ["鯨の本", "古い地図", "庭の鳥"])
    case .portuguese:
      (["Hoje vi", "Ainda a pensar em", "Recomendo"], ["pão fresco", "mapas antigos", "comboios"])
    }
  }

  private static let englishOpenings = [
    "Still thinking about", "Today's find:", "A short note on", "Can anybody recommend something about",
    "I changed my mind about", "Good morning from", "Notes on", "We never talk enough about",
  ]
  private static let englishSubjects = [
    "birds in the park", "bread that keeps for a week", "compilers and their errors", "the match last night",
    "gardens in the rain", "old maps of this town", "films without colour", "night trains",
    "letters never sent", "the long way home",
  ]
}
