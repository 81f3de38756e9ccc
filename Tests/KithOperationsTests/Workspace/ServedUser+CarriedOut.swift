// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

extension AccountChoice {
  /// Accounts of the cast, by their handles.
  static func cast(_ names: [String]) -> AccountChoice {
    AccountChoice(TargetStream(origins: names.map { .argument("\($0).test") }))
  }

  static func cast(_ names: String...) -> AccountChoice { cast(names) }

  /// Accounts that are found.
  static func found(_ sources: Source...) -> AccountChoice {
    AccountChoice(TargetStream(origins: []), and: sources)
  }

  /// The accounts of a file.
  static func file(_ text: String, named name: String = "names.txt", column: String? = nil) -> AccountChoice {
    AccountChoice(TargetStream(origins: [.file(InMemorySource(text, named: name), column: column)]))
  }
}

extension ServedUser {
  /// A new workspace that has a backlink index.
  func indexedWorkspace() throws -> Workspace {
    let other = workspace()
    var services = other.services
    services.index = try ServiceURL(parsing: FaultyNetwork.appview)
    return Workspace(
      ServiceNetwork(
        services, transport: other.transport, texts: ScriptedTextRecords(), time: other.time),
      stores: other.stores)
  }

  /// Carries out a change; its questions are answered with no, unless it is confirmed beforehand.
  @discardableResult
  func carryOut<Source: ChangeSource>(
    _ source: Source, confirmed isConfirmed: Bool = false, as mode: ChangeMode = .carryOut,
    ending: Ending = .done, in workspace: Workspace? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> OperationRun<Change<Source>> {
    var change = Change(source)
    (change.isConfirmed, change.mode) = (isConfirmed, mode)
    let run = try await run(change, in: workspace)
    #expect(
      run.outcome.ending == ending, "\(run.rows.map { "\($0.input): \($0.state)" })",
      sourceLocation: sourceLocation)
    return run
  }

  /// Undoes a job, or the last change.
  @discardableResult
  func undo(
    _ job: JobID? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> OperationRun<UndoJob> {
    let run = try await run(UndoJob(job))
    #expect(run.outcome.ending == .done, sourceLocation: sourceLocation)
    return run
  }

  /// Whether what a predicate says holds between two of the cast.
  func answer(
    _ actor: String, _ target: String, is predicate: String, in graph: FollowGraph = .bluesky
  ) async throws -> CheckVerdict.Answer {
    var check = CheckRelationships(
      of: try self.actor(actor), targets: TargetStream(origins: [.argument("\(target).test")]))
    check.predicate = try self.predicate(predicate)
    check.graphs = [graph]
    return try await run(check).outcome.verdict.answer
  }

  /// Parses a predicate.
  func predicate(_ text: String) throws -> AccountPredicate {
    try AccountPredicate(parsing: text, now: Datetime(at: network.time.instant))
  }

  /// The records of one of the cast.
  func values(_ collection: NSID, of name: String = "alice") throws -> [DataValue] {
    network.records(of: try did(name), in: collection).map(\.value)
  }

  /// The subjects of the records of one of the cast.
  func subjects(_ collection: NSID, of name: String = "alice") throws -> [String] {
    try values(collection, of: name).compactMap { $0["subject"]?.string }
  }
}

// MARK: Friends

extension ServedUser {
  /// Asks some of the cast, or answers them.
  @discardableResult
  func friends(
    _ kind: FriendChanges.Kind, _ names: String..., asking wanted: FriendRequest.Kind? = nil,
    version: CID? = nil, confirmed isConfirmed: Bool = false, as mode: ChangeMode = .carryOut,
    ending: Ending = .done, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> OperationRun<Change<ChangeFriends>> {
    var source = ChangeFriends(kind, .cast(names))
    (source.asking, source.version) = (wanted, version)
    return try await carryOut(
      source, confirmed: isConfirmed, as: mode, ending: ending, sourceLocation: sourceLocation)
  }

  /// Changes the policy of the account.
  func setPolicy(_ edit: (inout SetFriendPolicy.Edit) -> Void) async throws {
    var policy = SetFriendPolicy.Edit()
    edit(&policy)
    #expect(try await carryOut(SetFriendPolicy(policy)).rows.count == 1)
  }

  /// The requests that the account has received.
  func inbox(
    _ source: ListReceivedRequests.Source = .index(after: 0), page: Int = 1, where predicate: String? = nil
  ) async throws -> OperationRun<ListReceivedRequests> {
    let workspace = if case .index = source { try indexedWorkspace() } else { self.workspace() }
    let account = try await workspace.account()
    let requests = ListReceivedRequests(
      of: account, from: source, page: page, where: try predicate.map { try self.predicate($0) })
    let run = try await run(requests, in: workspace)
    #expect(run.outcome.ending == .done)
    return run
  }

  /// Removes the jobs that have ended a month ago.
  func pruneJobs() async throws {
    _ = try await workspace().jobStore().prune(endedBefore: network.time.instant - .seconds(30 * 86_400))
  }
}

extension OperationRun where Operation == ListReceivedRequests {
  /// The accounts that ask.
  var handles: [String] { rows.map(\.view).handles }
}

extension [AccountView] {
  /// The handles that are known.
  var handles: [String] { compactMap { $0.handle?.description } }
}
