// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// The words for what operations say.
extension Message {
  /// An error of an operation, and what the command can do about it.
  init(_ error: OperationError) {
    if let rows = error.skippedRows {
      self = .importSkipped(rows)
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
      text: [text + (error.remedy ?? ""), cause?.text].compactMap(\.self).joined(separator: ": "),
      fields: error.fields + (cause.map { [OutputField("cause", $0.cause)] } ?? []))
  }
}

extension Message {
  /// What an operation says while it runs.
  ///
  /// - Returns: nil if there is nothing to say.
  init?(_ note: Note) {
    switch note {
    case .invalidName(let complaint, let isSkipped):
      let message = Message(complaint)
      self = isSkipped ? message.asWarning : message
    case .moreInvalidNames(let count, let unnamed):
      self.init(
        .error, .namesInvalid, "\(count) names are not valid (\(unnamed) of them not shown above)",
        ["count": .integer(count), "unnamed": .integer(unnamed)])
    case .namesSkipped(let count):
      self.init(
        .warning, .namesSkipped, "\(count) invalid name\(count == 1 ? "" : "s") skipped",
        ["count": .integer(count)])
    case .excludedUnknown(let input):
      self.init(
        .warning, .excludedUnknown, "--exclude: \(input): no such account", ["input": .string(input)])
    case .repetitions(let count):
      self.init(
        .note, .repetitions, "\(Self.counted(count, "duplicate")) skipped", ["count": .integer(count)])
    case .listed(let report): self.init(report)
    case .unreadable(let kind, let record):
      let text =
        switch kind {
        case .ownRecord: "one of your records cannot be read: \(record.uri): \(record.reason)"
        case .list: "\(record.uri) is not a list: \(record.reason)"
        case .member: "\(record.uri) does not name an account: \(record.reason)"
        case .starterPack: "\(record.uri) is not a valid starter pack: \(record.reason)"
        }
      self.init(.error, .unreadableRecord, text, ["uri": .string(record.uri)])
    case .moreUnreadable(let count):
      self.init(.error, .unreadableRecord, "\(count) more cannot be read", ["count": .integer(count)])
    case .membersNotCounted(let error): self = .membersNotCounted(error)
    case .importSkipped(let rows): self = .importSkipped(rows)
    case .membersLeftOut(let count):
      self.init(
        .warning, .membersLeftOut,
        "skipped \(Self.counted(count, "member")) of lists that are gone or cannot be read",
        ["count": .integer(count)])
    case .clockDiffers(let lead): self = .clockDiffers(serverLead: lead)
    case .relationshipsNotLearned(let error): self = .relationshipsNotLearned(error)
    case .jobCreated(let job, let steps): self = .jobCreated(job, steps: steps)
    case .jobInterrupted(let job): self = .jobInterrupted(job)
    case .jobAbandoned(let job): self = .jobAbandoned(job)
    case .jobPassedOver(let job): self = .jobPassedOver(job)
    case .undoneAlong(let count): self = .undoneAlong(count)
    // The command says what these lead to.
    case .planned, .jobEnded, .jobWaiting: return nil
    case .mutesNotLearned(let error):
      let cause = Message(error)
      self.init(
        .warning, .mutesNotLearned, "could not read your mutes: \(cause.text)", ["cause": cause.cause])
    case .namesNotLearned(let error): self = .handlesNotLearned(error)
    case .targetsUnseen(let count):
      self.init(
        .warning, .targetsUnseen,
        "could not evaluate --where for \(Self.counted(count, "account")): not shown by the AppView, so it is unknown "
          + "which accounts \(count == 1 ? "it follows or blocks" : "they follow or block"); left unchanged",
        ["count": .integer(count)])
    case .predicateUndecided(let count):
      self.init(
        .warning, .predicateUndecided,
        "could not evaluate --where for \(Self.counted(count, "account")); left unchanged",
        ["count": .integer(count), "cause": .null])
    case .plainDirectory(let directory): self = .plainDirectory(directory)
    case .snapshotIncomplete(let snapshot, let unreadable): self = .snapshotIncomplete(snapshot, unreadable)
    case .snapshotFailed(let snapshot, let fault): self = .snapshotFailed(snapshot, fault)
    case .accountFailed(let error):
      guard let said = CommandFault(any: error)?.said else { return nil }
      self = said
    case .datesNotLearned(let dates, let fault): self = .datesNotLearned(dates, fault)
    case .statisticsPartMissing(let part, let error): self = .insightPartMissing(part, error)
    case .statisticsPartPartial(let part): self = .insightPartPartial(part)
    case .metricsNeedServers(let metrics): self = .metricsNeedServers(metrics)
    case .blockersNeedServers: self = .blockersNeedServers
    case .snapshotInProgress(let side): self = .snapshotInProgress(side)
    case .segmentUndecided(let name, let count): self = .segmentUndecided(name, count)
    }
  }

  /// What is wrong with a name.
  init(_ complaint: NameComplaint) {
    switch complaint {
    case .invalid(let error): self.init(error)
    case .isAList(let text):
      self.init(
        .error, .isAList, "\"\(text)\" is a list, not an account; kith lists show prints its members",
        ["input": .string(text)])
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
    case .jobToResumeFirst:
      fields.first.map { field in
        if case .integer(let job) = field.value { ": kith jobs resume \(job)" } else { "" }
      }
    case .jobOfAnotherAccount: "; omit --account, or name that account"
    case .onListNeedsIndex: " with --index or KITH_INDEX"
    default: nil
    }
  }
}
