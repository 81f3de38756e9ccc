// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations
import KithRelationships
import KithWording

/// The words for what operations say.
extension Message {
  /// An error of an operation, and what the command can do about it.
  init(_ error: OperationError) {
    if let rows = error.skippedRows {
      self.init(.importSkipped(rows), Wording.command.sentence(.importSkipped(rows)) ?? "")
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
    case .excludedUnknown(let input): self.init(note, "--exclude: \(input): no such account")
    case .incomplete(.metricsNeedServers(let metrics), _):
      self.init(
        note,
        "not computed with --stored, because they need servers: "
          + metrics.map(\.rawValue).joined(separator: ", "))
    case .incomplete(.blockersNeedServers, _):
      self.init(
        note, "--stored does not ask the index: blocks of the account are known only for lost followers")
    case .incomplete:
      var wording = Wording.command
      wording.error = { CommandFault(any: $0)?.message?.text ?? Message(other: $0).text }
      self.init(note, in: wording)
    case .targetsUnseen, .predicateUndecided:
      self.init(note, (Wording.command.sentence(note) ?? "").replacing("the predicate", with: "--where"))
    case .accountFailed(let error):
      guard let message = CommandFault(any: error)?.message else { return nil }
      self = message
    case .preparing(let preparation):
      guard let message = Message(preparation) else { return nil }
      self = message
    // The command says what these lead to.
    case .planned, .jobEnded, .jobWaiting: return nil
    default: self.init(note, in: .command)
    }
  }

  /// A note in the usual words.
  private init?(_ note: Note, in wording: Wording) {
    guard let text = wording.sentence(note) else { return nil }
    self.init(note, text, cause: note.underlying)
  }

  /// - Parameter cause: the error that the note is about, whose remedy the command knows.
  init(_ note: Note, _ text: String, cause: (any Error)? = nil) {
    let cause = cause.map { OutputField("cause", Message(any: $0).cause) }
    self.init(
      level: Level(note.level), code: note.code, text: text,
      fields: note.fields.map { field in field.name == "cause" ? cause ?? field : field })
  }

  /// What is wrong with a name.
  init(_ complaint: NameComplaint) {
    switch complaint {
    case .invalid(let error): self.init(error)
    case .isAList:
      let note = Note.invalidName(complaint, isSkipped: false)
      self.init(note, Wording.command.sentence(note) ?? "")
    }
  }
}

extension Message.Level {
  /// The severity of a note.
  init(_ level: Note.Level) {
    self =
      switch level {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
  }
}

extension Message {
  /// What the preparation of a change has found.
  ///
  /// - Returns: nil if there is nothing to say, or if the command says what it leads to.
  init?(_ preparation: PreparationNote) {
    switch preparation {
    case .peopleFound(let outcome): self = .peopleFound(outcome)
    case .contactsMatched(let outcome): self = .contactsMatched(outcome)
    case .postsComposed, .reported: return nil
    default:
      guard let text = Wording.command.sentence(preparation) else { return nil }
      self.init(.preparing(preparation), text)
    }
  }

  /// A note about a preparation that always says something.
  init(preparing preparation: PreparationNote) {
    self.init(.preparing(preparation), Wording.command.sentence(preparation) ?? "")
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
    case .graphNeedsIndex: ": name one with --index or KITH_INDEX"
    case .requestsUnseen:
      "; say what you accept, with --kind friend or --kind follow, or pass rows of kith friends inbox"
    case .postTooLong: "; --thread splits it into a thread"
    case .audienceUnknown: "; say it with --replies, such as --replies everyone"
    default: nil
    }
  }
}
