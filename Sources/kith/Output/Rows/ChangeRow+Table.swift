// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension ChangeRow: PrintableRow {
  /// The fields, for help.
  static let fields = """
    Fields of each row: verb, input, subject, state (\(State.allCases.map(\.rawValue).joined(separator: ", "))), writes, \
    notes, job, error, until (when it is undone), graph (of a follow).
    """
  /// What help says about the rows of a change.
  static let help = "\(fields) \(PlanRow.help)"

  static let headings = ["ACCOUNT", "STATE", "DETAILS"]

  func tableRow(at now: Datetime) -> TableRow {
    let colour: Palette.Colour? =
      switch state {
      case .done: .good
      case .failed, .refused, .error, .notFound, .inDoubt: .bad
      case .unchanged, .pending, .cancelled, .undone: .faint
      case .planned: nil
      }
    let end = until.map {
      "\($0.instant > now.instant ? "ends" : "ended") \(RelativeTimeText.relative($0, to: now))"
    }
    let app = graph.flatMap { $0 == .bluesky ? nil : "in \($0.name)" }
    let words =
      [app, isNewPost && post != nil ? input.inOneLine : nil, reason?.text].compactMap(\.self) + plannedWrites
      + [end].compactMap(\.self) + notes.map(\.description)
    var row = TableRow(cells: [
      nameCell, TableRow.Cell(Self.words[state] ?? state.rawValue, colour),
      TableRow.Cell(words.joined(separator: "; ")),
    ])
    if isNewPost || post != nil { row.firstHeading = "POST" }
    return row
  }

  /// What people copy: the name of the account, or the address of the post.
  private var nameCell: TableRow.Cell {
    guard let page = post?.postPage else { return TableRow.Cell(name ?? input, whole: true) }
    return TableRow.Cell(name ?? page, whole: true, upTo: TableRow.Cell.mostOfAddress)
  }

  var unnamed: [DID] { [namedAccount].compactMap(\.self) }

  func named(by known: [DID: AccountView]) -> ChangeRow {
    guard let account = namedAccount, let view = known[account] else { return self }
    var row = self
    row.name =
      post?.recordKey.map { "https://bsky.app/profile/\(account.name(in: view))/post/\($0)" }
      ?? account.name(in: view)
    return row
  }

  /// The account that the first cell names: that of the row, or the author of the post.
  private var namedAccount: DID? {
    if case .did(let author)? = post?.authority { return author }
    return DID(input)
  }

  private var isNewPost: Bool {
    guard let step = steps.first, case .newRecords = step.subject else { return false }
    return step.writes.first?.collection == .post
  }

  /// The post that it is about; nil for one that does not exist yet.
  private var post: ATURI? {
    guard let uri = subject.flatMap({ ATURI($0) }), uri.postPage != nil else { return nil }
    return isNewPost && state != .done && state != .undone ? nil : uri
  }

  private static let words: [State: String] = [.notFound: "not found", .inDoubt: "in doubt"]

  /// The writes, which are only shown in a dry run, and for a job.
  private var plannedWrites: [String] {
    state == .planned || isRetrospective ? steps.flatMap { $0.summary(in: account) } : []
  }
}

extension ChangeRow {
  /// The same row, whose texts say what to type.
  var withHints: ChangeRow {
    var row = self
    row.reason = reason.map { .item($0.words + (needsPictures ? Self.pictureHint : "")) }
    row.notes = notes.map { ChangeNote($0.code, $0.sentence, job: $0.job) }
    return row
  }
}

extension ChangeRow {
  private static let pictureHint = "; set both pictures at once: kith profile set --avatar FILE --banner FILE"

  /// Whether the profile names a picture that the server does not have, as after a migration.
  private var needsPictures: Bool {
    guard case .item(let text)? = reason, RepositoryError.refusesFiles(text) else { return false }
    return verb == "profile set" && !text.hasSuffix(Self.pictureHint)
  }
}

extension ChangeRow.Reason {
  /// The phrase, with a hint if the command knows one.
  var words: String {
    switch self {
    case .refused(let refusal): refusal.sentence
    case .unusable(let error): Message(any: error).text
    case .item(let text): text
    }
  }
}
