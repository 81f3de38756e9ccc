// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithPosts
import KithRelationships
public import KithWriting

/// What is to be changed, and what has to be found out before: all in which following, asking, importing and publishing
/// differ. ``Change`` does what they have in common.
public protocol ChangeSource: Sendable {
  /// The name of the operation that carries it out, such as `publishPosts`.
  static var name: String { get }

  /// What the change is called.
  var title: ChangeTitle { get }

  /// Which plans are asked about; the default asks about all.
  var confirmation: ConfirmationRule { get }

  /// Finds out what to change. Only reads: nothing is written or uploaded here, on this machine or elsewhere.
  ///
  /// - Throws: ``OperationError``; errors of the servers that it asks; `CancellationError`.
  func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges

  /// Adds what the preparation and the changes cost to an estimate, from names and counts alone: it walks what
  /// ``prepare(_:)`` reads.
  ///
  /// - Throws: as ``prepare(_:)``.
  func add(to estimate: inout ChangeEstimate) async throws
}

extension ChangeSource {
  public var confirmation: ConfirmationRule { .always }
}

/// What a source works with while it prepares a change.
public struct ChangePreparation: Sendable {
  /// Where it reads.
  public let workspace: Workspace
  /// The signed-in account whose relationships change.
  public let account: AuthorizedAccount
  /// Whether the changes are only shown.
  public let isPreview: Bool
  /// Whether questions are asked; not before a preview, nor if the change is confirmed beforehand.
  public let asks: Bool
  /// The limit that the caller has set; nil for none.
  public let limit: WriteLimit?
  let report: Reporter<ChangeRow>
  let start: @Sendable (@escaping @Sendable () async -> Void) -> Void

  /// Says something.
  public func note(_ note: Note) { report.note(note) }

  /// Says what the preparation has found.
  public func note(_ note: PreparationNote) { report.note(.preparing(note)) }

  /// Asks a question. If questions are not asked, it counts as declined.
  public func ask(_ question: Question) async throws -> Bool { asks ? try await report.ask(question) : false }

  /// Begins something that the planning need not wait for. It is cancelled once the change is made.
  public func beside(_ work: @escaping @Sendable () async -> Void) { start(work) }
}

/// A change that is ready to be planned.
public struct PreparedChanges: Sendable {
  /// One for each name, account, list or post, in their order.
  public var requests: [RequestedChange]
  /// What the change is called, if that is only known now; nil for the title of the source.
  public var title: ChangeTitle?
  /// The pictures that records name, and that are uploaded after the answer.
  public var pictures: [Picture] = []
  /// The requests once the pictures are uploaded, as the server names them; nil if none names a picture.
  public var naming: (@Sendable ([Blob]) -> [RequestedChange])?
  /// The pictures as the server has named them; empty until they are uploaded.
  var uploaded: [UploadedPicture] = []
  /// Reduces a planned change to what is wanted. It may wait for what is found out beside the planning, and throw
  /// ``Revision`` to ask first.
  public var narrowing: @Sendable (PlannedChange) async throws -> PlannedChange = { $0 }
  /// What is said about the plan before it is asked about or carried out.
  public var notes: @Sendable (ChangePlan) -> [PreparationNote] = { _ in [] }
  /// What a person should know before the plan is carried out; nil for nothing.
  public var concern: @Sendable (ChangePlan) -> ChangeConcern? = { _ in nil }
  /// How many of the changes were agreed to in a question of their own.
  public var agreed = 0
  /// The limit of the write budget; nil for that of the caller.
  public var limit: WriteLimit?
  /// What rows of blocks say about what stays; nil for nothing.
  public var remains: OtherRecordsOfBlocked?
  /// Whether the requests depend on each other, or the plan is looked at as a whole, so that a preview cannot take them
  /// in portions.
  public var plansTogether = false
  /// Called after the change, unless it was a preview or failed.
  public var conclude: @Sendable () async throws -> Void = {}
  /// Why some of what was to be changed is unknown; nil if all was learned.
  public var fault: (any Error)?

  public init(_ requests: [RequestedChange]) { self.requests = requests }

  /// Thrown by ``narrowing`` if something has to be asked before it can be planned; nothing was journaled then.
  public struct Revision: Error {
    /// Whether the plan was agreed to already.
    var isAnswered = false
    /// Asks, and returns the changes that are wanted then.
    let changes: @Sendable () async throws -> PreparedChanges
  }
}

/// Changes that are known: what a program has decided by itself.
public struct RequestedChanges: ChangeSource {
  public static let name = "changeRelationships"

  public var requests: [RequestedChange]
  public var title: ChangeTitle
  public var confirmation: ConfirmationRule

  public init(
    _ requests: [RequestedChange], as title: ChangeTitle, asking confirmation: ConfirmationRule = .always
  ) {
    (self.requests, self.title, self.confirmation) = (requests, title, confirmation)
  }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    PreparedChanges(requests)
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    let changes = requests.compactMap { try? $0.change.get() }
    try await estimate.read(changes.reduce(into: []) { $0.formUnion($1.needs) })
    for change in changes { estimate.add(change) }
  }
}
