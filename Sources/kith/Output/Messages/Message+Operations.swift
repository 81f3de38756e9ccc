// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// The words for what operations say.
extension Message {
  /// An error of an operation, and what the command can do about it.
  init(_ error: OperationError) {
    if let rows = error.skippedRows {
      self.init(.note, .importSkipped(rows), rows.words)
      return
    }
    let cause = error.underlying.map { Message(any: $0) }
    let text: String =
      switch error.code {
      case .predicateUndecided: error.description.replacing("the predicate", with: "--where")
      case .invalidPredicate: "--where: \(error)"
      case .notNDJSON: error.description.replacing("failed rows are read from", with: "--retry-errors reads")
      case .otherService: error.description.replacing("a named account signs", with: "--account signs")
      default: error.description
      }
    self.init(
      level: .error, code: error.code.rawValue,
      text: [text, cause?.text].compactMap(\.self).joined(separator: ": ") + (error.remedy ?? ""),
      fields: error.fields + (cause.map { [OutputField("cause", $0.cause)] } ?? []))
  }
}

extension Message {
  /// What an operation says while it runs.
  ///
  /// - Returns: nil if there is nothing to say, or if the command says what it leads to.
  init?(_ note: Note) {
    switch note {
    case .invalidName(let complaint, let isSkipped):
      let message = Message(complaint)
      self = isSkipped ? message.asWarning : message
    case .moreInvalidNames(let count, let unnamed):
      self.init(.error, note, "\(count) names are not valid (\(unnamed) of them not shown above)")
    case .namesSkipped(let count):
      self.init(.warning, note, "\(count) invalid name\(count == 1 ? "" : "s") skipped")
    case .excludedUnknown(let input): self.init(.warning, note, "--exclude: \(input): no such account")
    case .repetitions(let count): self.init(.note, note, "\(Self.counted(count, "duplicate")) skipped")
    case .listed(let report):
      guard let words = report.words else { return nil }
      self.init(words.level, note, words.text, cause: report.coverage.fault)
    case .unreadable(let kind, let record): self.init(.error, note, kind.words(for: record))
    case .moreUnreadable(let count): self.init(.error, note, "\(count) more cannot be read")
    case .membersNotCounted(let error):
      self.init(.error, note, "could not get the sizes of the lists: \(error)", cause: error)
    case .importSkipped(let rows): self.init(.note, note, rows.words)
    case .membersLeftOut(let count):
      self.init(
        .warning, note, "skipped \(Self.counted(count, "member")) of lists that are gone or cannot be read")
    case .followsLeftOut(let graphs):
      let names = graphs.map(\.name)
      self.init(
        .warning, note,
        "not exported: follows in \(names.joined(separator: ", ")); export all with --graph bluesky "
          + names.filter { $0 != FollowGraph.bluesky.name }.map { $0.asValue(of: "--graph") }
          .joined(separator: " "))
    case .otherFollowsUnknown(let error):
      self.init(
        .warning, note,
        "whether there are follows in other apps, which are not exported, is unknown: \(error)",
        cause: error)
    case .partNotExported(let part, let error):
      self.init(
        .error, note, "\(part): not exported, or not to the end: \(error)", cause: error)
    case .clockDiffers(let lead): self.init(.warning, note, Self.clockWords(serverLead: lead))
    case .relationshipsNotLearned(let error):
      self.init(
        .error, note,
        "your relationships with some accounts are unknown, so warnings may be missing: \(error)",
        cause: error)
    case .mutesNotLearned(let error):
      self.init(.warning, note, "could not read your mutes: \(Message(error).text)", cause: error)
    case .namesNotLearned(let error):
      self.init(.error, note, "could not look up handles: \(error)", cause: error)
    case .followsAwaitApproval(let count, let graph):
      self.init(
        .note, note,
        "\(Self.counted(count, "follow")) in \(graph.name) \(count == 1 ? "is a request" : "are requests") that the "
          + "other account has not accepted yet; not counted as \(count == 1 ? "a follow" : "follows")")
    case .targetsUnseen(let count):
      self.init(
        .warning, note,
        "could not evaluate --where for \(Self.counted(count, "account")): not shown by the AppView, so it is unknown "
          + "which accounts \(count == 1 ? "it follows or blocks" : "they follow or block"); left unchanged")
    case .predicateUndecided(let count):
      self.init(
        .warning, note, "could not evaluate --where for \(Self.counted(count, "account")); left unchanged")
    case .jobCreated, .jobInterrupted, .endsHeld, .jobAbandoned, .filesNotRestorable, .undoneAlong,
      .edgesMadeUncompared:
      self.init(ofJob: note)
    // The command says what these lead to.
    case .planned, .jobEnded, .jobWaiting: return nil
    case .plainDirectory, .snapshotIncomplete, .snapshotFailed: self.init(ofSnapshot: note)
    case .accountFailed(let error):
      guard let message = CommandFault(any: error)?.message else { return nil }
      self = message
    case .incomplete(let gap, let error): self.init(gap, note, because: error)
    case .segmentUndecided(let name, let count):
      self.init(
        .warning, note,
        "segment \(name): could not evaluate it for \(Self.counted(count, "follower")); count not recorded")
    }
  }

  /// - Parameter cause: the error that the note is about, whose remedy the command knows.
  init(_ level: Level, _ note: Note, _ text: String, cause: (any Error)? = nil) {
    let cause = cause.map { OutputField("cause", Message(any: $0).cause) }
    self.init(
      level: level, code: note.code, text: text,
      fields: note.fields.map { field in field.name == "cause" ? cause ?? field : field })
  }

  /// What is wrong with a name.
  init(_ complaint: NameComplaint) {
    switch complaint {
    case .invalid(let error): self.init(error)
    case .isAList(let text):
      self.init(
        .error, .invalidName(complaint, isSkipped: false),
        "\"\(text)\" is a list, not an account; kith lists show prints its members")
    }
  }
}

extension UnreadableRecords.Kind {
  /// Which record cannot be read, and why.
  fileprivate func words(for record: MalformedRecord) -> String {
    switch self {
    case .ownRecord: "one of your records cannot be read: \(record.uri): \(record.reason)"
    case .list: "\(record.uri) is not a list: \(record.reason)"
    case .member: "\(record.uri) does not name an account: \(record.reason)"
    case .starterPack: "\(record.uri) is not a valid starter pack: \(record.reason)"
    }
  }
}

extension OperationError {
  /// The command that reads the failed rows of another format.
  private var conversion: String {
    switch format {
    case .array?: "jq -c '.[]' FILE | kith check ACCOUNT --retry-errors -"
    case .csv?: "grep ',error,' FILE | cut -d, -f3 | kith check ACCOUNT -"
    case .table?, nil: "the original command with --format ndjson"
    }
  }

  /// The number in a field; nil if there is none.
  private func number(_ name: String) -> Int? {
    if case .integer(let number)? = fields.first(where: { $0.name == name })?.value { number } else { nil }
  }

  /// How to cancel an unfinished last change, and how to undo an older one.
  private var remedyForLastChange: String {
    var remedies: [String] = []
    if text("reason") == StayingChange.isUnfinished.rawValue, let job = number("job") {
      remedies.append("kith jobs cancel \(job)")
    }
    if let older = number("older") {
      remedies.append("to undo job \(older) (\(text("olderTitle"))): kith undo \(older)")
    }
    if remedies.isEmpty { return "" }
    return (text("reason") == StayingChange.isUnfinished.rawValue ? ": " : "; ")
      + remedies.joined(separator: "; ")
  }

  /// The text of a field; empty if there is none.
  private func text(_ name: String) -> String {
    if case .string(let text)? = fields.first(where: { $0.name == name })?.value { text } else { "" }
  }

  /// What the user of the command can do about it; nil if the error says so itself.
  fileprivate var remedy: String? {
    switch code {
    case .repeatedColumn: "; choose one by its number with --column N"
    case .noAccountColumn: "; choose one with --column, or add a header line if there is none"
    case .elementTooLong: "; extract the array first, for example with jq '.records'"
    case .notNDJSON: "; try \(conversion)"
    case .handleNotStored: "; use the DID, or omit --stored"
    case .noHistory: "; take the first with kith snapshot"
    case .noSnapshotOf: "; take one with kith snapshot \(text("did"))"
    case .listNeedsSession: "; sign in (kith login HANDLE), or use its AT-URI or the URL of its page"
    case .unknownListName: "; kith lists shows all"
    case .noSuchList: subject.isEmpty ? "; kith lists shows your lists" : nil
    case .notForModeration: "; use --allow-curation to apply it to all its members anyway"
    case .unknownListInFile: ", or use kith lists import with one of your lists"
    case .importNeedsKind: "; add --as follow, --as block or --as mute"
    case .nothingToUndo: "; kith jobs --all lists what was done"
    case .lastChangeStays: remedyForLastChange
    case .jobToResumeFirst:
      fields.first.map { field in
        if case .integer(let job) = field.value { ": kith jobs resume \(job)" } else { "" }
      }
    case .jobOfAnotherAccount: "; omit --account, or name that account"
    case .onListNeedsIndex: " with --index or KITH_INDEX"
    case .postTooLong: "; --thread splits it into a thread"
    case .audienceUnknown: "; say it with --replies, such as --replies everyone"
    default: nil
    }
  }
}
