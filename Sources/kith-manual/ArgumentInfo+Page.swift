// SPDX-License-Identifier: Apache-2.0

extension ArgumentInfo {
  /// What a user types, as escaped text: `-n, --dry-run`, `--from file`.
  var heading: String {
    let value = Roff.italic(valueName ?? "value")
    let dots = isRepeating && kind == .positional ? " ..." : ""
    switch kind {
    case .positional: return value + dots
    case .flag: return spellings
    case .option: return "\(spellings) \(value)"
    }
  }

  private var spellings: String {
    let names = (names ?? []).filter { $0.kind == .short } + (names ?? []).filter { $0.kind != .short }
    return names.map { Roff.bold(($0.kind == .long ? "--" : "-") + $0.name) }.joined(separator: ", ")
  }

  /// What it does, its values and its default: one paragraph each.
  var explanations: [String] {
    let abstract = abstract ?? ""
    var paragraphs = abstract.isEmpty ? [] : [abstract]
    if let values, !values.allSatisfy(abstract.contains) {
      paragraphs.append("Values: \(values.joined(separator: ", ")).")
    }
    if let defaultValue {
      paragraphs.append(kind == .flag ? "This is the default." : "Default: \(defaultValue).")
    }
    if let discussion, !discussion.isEmpty { paragraphs.append(discussion) }
    return paragraphs
  }

  /// All values that it takes, if they can be listed.
  private var values: [String]? {
    allValues ?? completionKind?.list?.values
  }

  /// Whether every command takes it, to print help or the version.
  var isHelpOrVersion: Bool {
    (names ?? []).contains { $0.kind == .long && ["help", "version"].contains($0.name) }
  }
}
