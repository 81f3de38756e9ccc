// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The message for an unknown command, with the closest known one.
struct CommandSuggestion {
  let message: Message

  /// Follows the arguments from command to subcommand up to the first unknown one. Nil if they reach a
  /// command without subcommands, or an option, first.
  init?(_ arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    let words = arguments.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
    var (command, path) = (root, root.commandName)
    for word in words where !command.configuration.subcommands.isEmpty {
      guard let verb = command.configuration.subcommands.first(where: { $0.commandName == word }) else {
        let verbs = command.shownSubcommands.map { $0.commandName }
        message = Self.message(of: word, of: path, among: verbs, isRoot: command == root)
        return
      }
      (command, path) = (verb, "\(path) \(word)")
    }
    return nil
  }

  /// Words that people try first, and what leads to what they mean.
  private static let synonyms = [
    "analytics": "stats", "audit": "doctor", "backup": "export", "best-time": "stats --metric times",
    "bots": "stats --metric bots", "card": "profile", "chart": "stats", "charts": "stats",
    "churn": "stats --metric flow",
    "clean": "doctor", "cleanup": "doctor", "compare": "common", "connect": "login", "dashboard": "stats",
    "digest": "history --since 7d", "discover": "people recommend", "engagement": "stats --metric engagement",
    "fans": "stats --metric top",
    "find": "people search", "find-friends": "people match",
    "forecast": "stats --metric forecast", "ghosts": "doctor", "growth": "stats",
    "import-list": "lists import", "info": "resolve", "job": "jobs",
    "list": "lists", "lost": "history --kind lost", "me": "whoami", "new": "history --since 7d",
    "notify": "history --since 1d", "packs": "starter-packs", "picture": "stats -o growth.png",
    "predicates": "followers --help",
    "restore": "import", "revert": "undo", "retention": "stats --metric cohorts", "rollback": "undo",
    "schedule": "snapshot --watched", "search": "people search", "likes": "likers",
    "recommend": "people recommend",
    "suggestions": "people suggested",
    "setup": "login", "sign-in": "login", "sign-out": "logout", "signin": "login", "signout": "logout",
    "status": "whoami", "subscriptions": "following", "sync": "lists import", "timer": "snapshot --watched",
    "reply": "post --reply-to", "timeline": "feed", "tweet": "post", "top": "stats --metric top",
    "unfollowed": "history --kind lost",
    "unfollowers": "history --kind lost", "whois": "resolve",
  ]

  /// Words of people who look for muted words, which Kith does not change.
  private static let mutedWords: Set = ["words", "mute-word", "mute-words", "muted-words"]

  private static func message(
    of word: String, of path: String, among verbs: [String], isRoot: Bool
  ) -> Message {
    if isRoot, mutedWords.contains(word) {
      return .unknownCommand(
        "unknown command \"\(path) \(word)\"; muted words are not changed here: they live in preferences that other "
          + "apps overwrite; change them in the app", word: word, suggestion: nil)
    }
    let nearest = verbs.min { distance(word, $0) < distance(word, $1) }
    let isAccount = word.contains(".") || word.hasPrefix("did:")
    let listsAccounts = ["lists", "starter-packs"].contains { path.hasSuffix($0) }
    let guess =
      (isRoot ? synonyms[word] : isAccount && listsAccounts ? word.asValue(of: "--of") : nil)
      ?? nearest.flatMap { distance(word, $0) <= 2 ? $0 : nil }
    return .unknownCommand(
      "unknown command \"\(path) \(word)\"; "
        + (guess.map { "did you mean \(path) \($0)?" } ?? "see \(path) --help"),
      word: word, suggestion: guess)
  }

  /// The Levenshtein distance of two words.
  private static func distance(_ one: String, _ other: String) -> Int {
    let letters = Array(other)
    var row = Array(0...letters.count)
    for (line, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in letters.enumerated() {
        let changed = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[letters.count]
  }
}
