// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// The result of one requested change.
public struct ChangeRow: OperationRow {
  /// The result.
  public enum State: String, Sendable, CaseIterable {
    /// A dry run: nothing was sent.
    case planned
    /// Done, confirmed by the server.
    case done
    /// Already true; nothing was sent.
    case unchanged
    /// Not attempted, for a reason in the request.
    case refused
    /// Refused by the server.
    case failed
    /// The account does not exist.
    case notFound
    /// A required lookup failed.
    case error
    /// Not sent yet: the job is waiting.
    case pending
    /// Sent, with unknown outcome; resuming the job checks it.
    case inDoubt
    /// Cancelled before it was sent.
    case cancelled
    /// Done, and undone since then.
    case undone
  }

  public let verb: String
  public let input: String
  /// What tables call the account, if that is not the input.
  public var name: String?
  /// The subject: a DID or an AT-URI.
  public var subject: String?
  public var state: State
  /// The steps of the change.
  package var steps: [ChangeStep] = []
  public var account: DID
  public var notes: [ChangeNote] = []
  public var job: JobID?
  /// When it is undone; nil if it is permanent.
  public var until: Datetime?
  /// The graph of the follow; nil for any other change.
  public var graph: FollowGraph?
  /// Whether it is a part of a job that people look at, and not the answer to what they typed: then tables say what it
  /// does.
  public var isRetrospective = false
  /// Why it was not done.
  public var reason: Reason?

  /// Why a change was not done.
  public enum Reason: Sendable {
    /// It is not attempted.
    case refused(ChangeRefusal)
    /// Its name leads to no change.
    case unusable(any Error)
    /// What the server said about it.
    case item(String)

    /// What happened, as a phrase.
    public var text: String {
      switch self {
      case .refused(let refusal): refusal.description
      case .unusable(let error): "\(error)"
      case .item(let text): text
      }
    }
  }

  /// Fields: verb, input (what was named), subject (DID or AT-URI), state (a ``State``), writes (objects with action,
  /// uri and record), notes (phrases), job (its number), error (why it was not done),
  /// until (when it is undone), graph (of a follow: `bluesky`, `tangled` and others, or an NSID).
  public static let fieldNames = [
    "verb", "input", "subject", "state", "writes", "notes", "job", "error", "until", "graph",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(verb)
    fields.text(input)
    fields.text(subject)
    fields.text(state.rawValue)
    fields.value(.array(steps.flatMap { $0.outputs(in: account) }))
    fields.value(.array(notes.map { .string($0.description) }))
    fields.number(job.map { Int($0.number) })
    fields.text(reason?.text)
    fields.text(until?.description)
    fields.text(graph?.name)
  }
}
