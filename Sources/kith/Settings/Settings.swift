// SPDX-License-Identifier: Apache-2.0

/// The defaults of options that a user keeps: for every account, and for single ones.
///
/// Lines of `name = value`; those below a line `[ACCOUNT]` are for that account alone. Lines that begin with # are
/// comments.
struct Settings: Sendable, Equatable {
  /// One default.
  struct Entry: Sendable, Equatable {
    /// The handle or DID that it is for; nil for every account.
    var account: String?
    var option: Setting
    var value: String
  }

  /// What a line says that is none.
  struct Fault: Error {
    let line: Int
    let reason: String
  }

  private(set) var entries: [Entry] = []

  init() {}

  /// Reads the text of a file.
  init(parsing text: String) throws(Fault) {
    var account: String?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = Self.trimmed(line)[...]
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        account = Self.trimmed(line.dropFirst().dropLast())
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Fault(line: number + 1, reason: "write NAME = VALUE") }
      let name = Self.trimmed(parts[0])
      guard let option = Setting(rawValue: name) else {
        throw Fault(line: number + 1, reason: "\"\(name)\" is not a setting")
      }
      set(option, to: Self.trimmed(parts[1]), for: account)
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The text of a file: first what is for every account.
  var text: String {
    var lines = ["# Defaults of options; see kith config --help."]
    var accounts: [String] = []
    for account in entries.compactMap(\.account) where !accounts.contains(account) {
      accounts.append(account)
    }
    for account in [nil] + accounts.map(Optional.some) {
      if let account { lines += ["", "[\(account)]"] }
      for entry in entries where entry.account == account {
        lines.append("\(entry.option.rawValue) = \(entry.value)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Sets a default.
  mutating func set(_ option: Setting, to value: String, for account: String?) {
    remove(option, for: account)
    entries.append(Entry(account: account, option: option, value: value))
  }

  /// Removes a default; returns whether there was one.
  @discardableResult
  mutating func remove(_ option: Setting, for account: String?) -> Bool {
    let count = entries.count
    entries.removeAll { $0.option == option && $0.account == account }
    return entries.count < count
  }

  /// The defaults for an account, one for each option: what is for it alone comes before what is for every account.
  ///
  /// - Parameter names: the handle and the DID of the account.
  func defaults(for names: Set<String>) -> [Setting: String] {
    var values: [Setting: String] = [:]
    for entry in entries where entry.account == nil { values[entry.option] = entry.value }
    for entry in entries where entry.account.map(names.contains) == true {
      values[entry.option] = entry.value
    }
    return values
  }
}

/// An option with a default that a user can keep.
///
/// None that answers a question or allows something, and no server: a file must not decide where a password or a token
/// goes.
enum Setting: String, Sendable, CaseIterable {
  case account, format, contact, index, deadline
  case noColor = "no-color"
  case noCache = "no-cache"
  case quiet, verbose
  case leave, points, patience
  case noWait = "no-wait"
  case names, dates
  case range, by, sample, theme
  case timeZone = "time-zone"

  /// Whether it is a flag, with the values `on` and `off`.
  var isFlag: Bool {
    switch self {
    case .noColor, .noCache, .quiet, .verbose, .noWait, .names, .dates: true
    case .account, .format, .contact, .index, .deadline, .leave, .points, .patience, .range, .by, .sample,
      .theme,
      .timeZone:
      false
    }
  }

  /// The variable that comes before the file.
  var variable: String? {
    switch self {
    case .contact: "KITH_CONTACT"
    case .index: "KITH_INDEX"
    case .noColor: "NO_COLOR"
    default: nil
    }
  }

  /// Options on the command line that say the same.
  var spellings: [String] {
    switch self {
    case .format: ["--format", "--json"]
    case .quiet: ["--quiet", "-q"]
    case .verbose: ["--verbose", "-v"]
    default: ["--\(rawValue)"]
    }
  }

  /// Why the name of an option is not that of a setting.
  static func objection(to name: String) -> String {
    if ["pds", "plc", "appview", "ca-file", "resolver"].contains(name) {
      return "a file must not decide where passwords and tokens go; use the option, or its variable"
    }
    if name == "yes" || name == "y" || name.hasPrefix("allow-") || name == "insecure-http" || name == "fix" {
      return "confirmations and permissions must be given each time"
    }
    return "use one of " + allCases.map(\.rawValue).joined(separator: ", ")
  }
}
