// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithPosts
public import KithRelationships
public import KithWriting

/// What an operation has to be told before it goes on. It is answered with yes or no; by default it is declined.
///
/// It is data: a caller words and shows it. Passwords and codes are never asked for this way.
public enum Question: Sendable {
  /// Whether a plan is to be carried out.
  case change(PlannedQuestion)
  /// Whether what a job did is to be undone, which cannot be undone itself.
  case undo(JobSummary, UndoPreview)
  /// Whether these jobs, whose time is over, are to be undone although a backup took the place of the journal at that
  /// time, and from now on whatever becomes due.
  case endRestored([JobRow], since: Datetime)
  /// Whether an account that wants to be asked before it is followed is to be sent a request, which is public, instead.
  case requestInstead(of: DID, name: String)
  /// Whether the rows of a file are to be imported that speak for the account; with the names that are known.
  case statements(ImportedStatements, names: [DID: AccountView])
  /// Whether a list is to be read to its end although it has more members than this.
  case longList(ATURI, most: Int)
  /// Whether a report about the account of this name, or a record of it, is to be sent, which cannot be undone.
  case report(Report, name: String)
  /// Whether the account that was reported is to be blocked as well.
  case blockReported(DID, name: String)
  /// Whether to sign in although the name leads elsewhere than at the last time.
  case signInElsewhere(SignInContradiction)
}

/// A plan that is asked about.
public struct PlannedQuestion: Sendable {
  /// What the change is called.
  public let title: ChangeTitle
  /// The plan.
  public let plan: ChangePlan
  /// The first rows of what it changes, at most ``mostRows``, to show them with the question.
  public let rows: [ChangeRow]
  /// What a person should know; nil for nothing.
  public let concern: ChangeConcern?
  /// How many of the changes were agreed to in a question of their own.
  public let agreed: Int

  /// The most rows that a question has.
  public static let mostRows = 50
}

extension Question: Encodable {
  /// What kind of question it is. Codes are added, but never change.
  public var code: String { content.code }

  /// The facts that it is about.
  public var fields: [OutputField] { content.fields }

  public func encode(to encoder: any Encoder) throws {
    try OutputValue.object([OutputField("code", .string(code))] + fields).encode(to: encoder)
  }

  private var content: (code: String, fields: [OutputField]) {
    switch self {
    case .change(let question): ("change", question.fields)
    case .undo(let summary, let preview):
      (
        "undo",
        [
          OutputField("job", .job(summary.job.id)), OutputField("title", .string(summary.job.title)),
          OutputField("changes", .integer(summary.counts[.done])),
          OutputField("isPublic", .bool(preview.isPublic)),
          OutputField("lostFiles", .integer(preview.lostFiles)),
        ]
      )
    case .endRestored(let jobs, let since):
      (
        "endRestored",
        [
          OutputField("jobs", .array(jobs.map { .job($0.summary.job.id) })),
          OutputField("since", .text(since)),
        ]
      )
    case .requestInstead(let account, let name):
      ("requestInstead", [OutputField("subject", .text(account)), OutputField("name", .string(name))])
    case .statements(let statements, _):
      (
        "statements",
        [
          OutputField("count", .integer(statements.count)),
          OutputField("accounts", .array(statements.accounts.map { .text($0) })),
        ]
      )
    case .longList(let list, let most):
      ("longList", [OutputField("list", .text(list)), OutputField("most", .integer(most))])
    case .report(let report, let name):
      (
        "report",
        [
          OutputField("subject", report.subject.value), OutputField("name", .string(name)),
          OutputField("reason", .string(report.reason.rawValue)),
        ]
      )
    case .blockReported(let account, let name):
      ("blockReported", [OutputField("subject", .text(account)), OutputField("name", .string(name))])
    case .signInElsewhere(let contradiction):
      (
        "signInElsewhere",
        [
          OutputField("account", .text(contradiction.target.did?.description)),
          OutputField("service", .string(contradiction.target.pds.description)),
        ]
      )
    }
  }
}

extension Report.Subject {
  fileprivate var value: OutputValue {
    switch self {
    case .account(let account): .text(account)
    case .record(let uri, _): .text(uri)
    }
  }
}

extension PlannedQuestion {
  fileprivate var fields: [OutputField] {
    [
      OutputField("title", .string(title.name)), OutputField("account", .text(plan.account)),
      OutputField("affected", .integer(plan.affected)), OutputField("steps", .integer(plan.stepCount)),
      OutputField("points", .integer(plan.points)),
      OutputField("subjects", .array(rows.map { .text($0.subject) })),
      OutputField("agreed", .integer(agreed)), OutputField("concern", concern?.value ?? .null),
    ]
  }
}

extension ChangeConcern {
  /// Its code and its facts.
  fileprivate var value: OutputValue {
    let (code, fields): (String, [OutputField]) =
      switch self {
      case .foundBySignals: ("foundBySignals", [])
      case .unseenRequests(let unseen, _):
        (
          "unseenRequests",
          [
            OutputField(
              "requests",
              .array(
                unseen.map {
                  .object([
                    OutputField("subject", .text($0.request.requester)),
                    OutputField("kind", .string($0.request.kind.rawValue)),
                  ])
                }))
          ]
        )
      case .hidesFollowed(let count): ("hidesFollowed", [OutputField("count", .integer(count))])
      case .unblocks(let count): ("unblocks", [OutputField("members", .number(count))])
      case .replies(let left, let count):
        (
          "replies",
          [
            OutputField("posts", .integer(count)), OutputField("replies", .integer(left.replies)),
            OutputField("unknown", .integer(left.unknown)),
          ]
        )
      case .publishes(let composition, let repetition):
        (
          "publishes",
          [
            OutputField("texts", .array(composition.drafts.map { .string($0.text.text) })),
            OutputField("isRepeated", .bool(repetition != nil)),
          ]
        )
      case .keepsEqual(let list): ("keepsEqual", [OutputField("list", .string(list))])
      }
    return .object([OutputField("code", .string(code))] + fields)
  }
}
