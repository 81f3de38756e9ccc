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
  static let synonyms = [
    "analytics": "stats", "audit": "doctor", "backup": "export", "best-time": "stats --metric times",
    "bell": "notifications subscribe", "bots": "stats --metric bots", "card": "profile", "chart": "stats",
    "charts": "stats", "churn": "stats --metric flow", "clean": "doctor", "cleanup": "doctor",
    "close-friends": "friends audience", "compare": "check", "connect": "login", "contacts": "people match",
    "dashboard": "stats", "digest": "history --since 7d", "discover": "people recommend",
    "engagement": "stats --metric engagement", "fans": "stats --metric top", "find": "people search",
    "find-friends": "people match", "forecast": "stats --metric forecast", "ghosts": "doctor",
    "growth": "stats",
    "import-contacts": "people match", "import-list": "lists import", "inbox": "friends inbox",
    "info": "resolve", "job": "jobs", "likes": "likers", "list": "lists", "lost": "history --kind lost",
    "me": "whoami", "mentions": "notifications --kind mention", "nearby": "people nearby",
    "new": "history --since 7d", "new-followers": "history --kind gained",
    "notify": "notifications", "pack": "starter-packs", "packs": "starter-packs",
    "picture": "stats -o growth.png", "popular": "people popular", "preferences": "config",
    "predicates": "followers --help", "recommend": "people recommend", "reply": "post --reply-to",
    "request": "friends request", "requests": "friends inbox", "restore": "import",
    "retention": "stats --metric cohorts", "revert": "undo", "rollback": "undo",
    "schedule": "snapshot --watched", "search": "people search", "settings": "config", "setup": "login",
    "sign-in": "login", "sign-out": "logout", "signin": "login", "signout": "logout", "status": "whoami",
    "subscriptions": "following", "suggestions": "people suggested", "sync": "lists import",
    "tag": "lists add", "timeline": "feed", "timer": "snapshot --watched", "top": "stats --metric top",
    "triage": "not-followed-back", "tweet": "post", "unfollowed": "history --kind lost",
    "unfollowers": "history --kind lost", "who-unfollowed-me": "history --kind lost", "whois": "resolve",
  ]

  /// Words of people who look for something that Kith does not have, and why it does not.
  static let elsewhere: [(words: Set<String>, reason: String)] = [
    (
      ["words", "mute-word", "mute-words", "muted-words"],
      "muted words are not changed here: they live in preferences that other apps overwrite; change them in the app"
    ),
    (
      ["dm", "dms", "chat", "message", "messages"],
      "private messages are not read or sent here; use the app"
    ),
    (
      ["bookmark", "bookmarks", "save", "saved"],
      "bookmarks are not read or changed here, because they are private to the app; use the app"
    ),
    (
      ["hashtag", "hashtags", "topic", "topics", "trending", "trends"],
      "posts are not searched by topic here; kith feed reads those of accounts, and kith people popular finds accounts"
    ),
  ]

  private static func message(
    of word: String, of path: String, among verbs: [String], isRoot: Bool
  ) -> Message {
    if isRoot, let reason = elsewhere.first(where: { $0.words.contains(word) })?.reason {
      return .unknownCommand(
        "unknown command \"\(path) \(word)\"; \(reason)", word: word, suggestion: nil)
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
  static func distance(_ one: String, _ other: String) -> Int {
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
