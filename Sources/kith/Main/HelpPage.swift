// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Help as it is printed: a command shows its own options, and names the topics for the rest.
///
/// The parser keeps all options of a command, so completions and manual pages have them.
enum HelpPage {
  /// Sections that most commands have.
  private static let shared = ["COMMON OPTIONS:", "NETWORK OPTIONS:"]

  /// The help of a command without the options that most commands have, and with the plain names of groups; any other
  /// text unchanged.
  static func shortened(_ help: String) -> String {
    guard help.hasPrefix("OVERVIEW:") else { return help }
    let help = help.replacing(" SUBCOMMANDS:\n", with: ":\n")
    let paragraphs = paragraphs(of: help)
    guard let first = paragraphs.firstIndex(where: isShared) else { return help }
    var kept = paragraphs.filter { !isShared($0) }
    kept.insert("Common and network options: see 'kith help options'.", at: first)
    return kept.joined(separator: "\n\n")
  }

  /// The options that the help of commands leaves out, from the whole help of one that has them all.
  static func options(in help: String) -> String {
    paragraphs(of: help).filter(isShared).joined(separator: "\n\n")
  }

  private static func isShared(_ paragraph: String) -> Bool { shared.contains { paragraph.hasPrefix($0) } }

  private static func paragraphs(of help: String) -> [String] {
    help.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
  }
}

/// A page of `kith help` that is not about one command.
enum HelpTopic: String, CaseIterable {
  /// The options that most commands have.
  case options
  /// The predicate language.
  case predicates

  /// The topic that arguments ask for; nil for anything else.
  init?(_ arguments: some Collection<String>) {
    guard arguments.count == 2, arguments.first == "help", let name = arguments.dropFirst().first else {
      return nil
    }
    self.init(rawValue: name)
  }

  var abstract: String {
    switch self {
    case .options: "Options of most commands: format, account, cache, servers."
    case .predicates: "What --where and --is understand."
    }
  }

  /// The page, for a terminal of this width.
  func text(columns: Int?) -> String {
    switch self {
    case .options:
      "OVERVIEW: \(abstract)\n\nThey are given after the command: kith check alice.test bob.test --json\n\n"
        + HelpPage.options(in: Kith.helpMessage(for: CheckCommand.self, columns: columns))
    case .predicates: Self.predicateLanguage
    }
  }

  private static let predicateLanguage = """
    OVERVIEW: \(HelpTopic.predicates.abstract)

      mutual and not blocked and followers > 1000
      not followed-by and followed before 2026-01-01
      name contains "zoe" or bio contains birds
      mutual with bob.test and not blocking with me

    RELATIONSHIPS:
      following, followed-by, mutual, blocking, blocked-by, blocked, none
                              to the actor: the account of a listing, or yours for
                              a change.
      friend, requested, requested-by
                              by consent: one has asked, the other one accepted;
                              you have asked and wait; they have asked and wait.
      ... with <account>      to another account, or me.
      muted                   you mute it, or a list that it is on; for your own
                              listings and changes. muted with me anywhere.

    PROFILES:
      followers, follows, posts, known-followers
                              with > >= < <= = != and a number (1000, 10k, 2m) or
                              another of them. known-followers are those that you
                              follow, where the AppView counts them.
      handle, name, bio       with contains, is, or is not, and a text, quoted if
                              it has spaces.
      verified, avatar        the AppView shows it as verified; it has a picture.
      label                   it has a label of a labeler; or with contains, is, or
                              is not, and a value, from any source.
      on <list>               it is on this list: AT-URI, URL, or a name of yours.
      followed, created, active
                              with within 90d, since <date>, or before <date>.
      status is, status is not
                              with a value that --status shows.

    COMBINATIONS:
      not, and, or            in this order of precedence, and parentheses.
      segment <name>          a predicate that kith segments add has named.

    --is takes relationships to the actor, muted, friend, requested and
    requested-by, and combinations of them.

    Unknown is neither yes nor no: not name contains zoe does not match an account
    whose name no server shows. Only what a predicate depends on is asked for;
    --explain shows the calls.
    """
}
