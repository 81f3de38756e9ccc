// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships
public import KithWriting

/// Creates the relationships of files: what is there already costs nothing, and nothing is removed.
public struct ImportFiles: ChangeSource {
  public static let name = "importFiles"

  /// The files.
  public var files: [any ByteSource]
  /// The column of accounts, of a table; nil to find it.
  public var column: String?
  /// What accounts are to be, whatever their rows say; nil for what the rows say.
  public var role: PortableRelationship.Kind?
  /// The graphs whose follows are imported.
  public var graphs: [FollowGraph] = [.bluesky]
  /// The kinds of rows that count; all where it is empty.
  public var only: Set<String> = []
  /// Whether rows that are not valid are left out, instead of failing.
  public var skipsInvalid = false
  /// Whether accounts that are followed become members of moderation lists.
  public var allowsFollowed = false
  /// Whether lists that are not made for moderation are blocked and muted, too.
  public var allowsCuration = false
  /// Whether rows that speak for the account are left out, and counted, unless ``only`` names their kind. Always so if the
  /// change is confirmed beforehand: such a yes is not a consent.
  public var leavesOutStatements = false

  public init(_ files: [any ByteSource]) { self.files = files }

  public let title = ChangeTitle("import", "imported", noun: "row", namesEachChange: true)

  /// - Throws: ``OperationError`` `invalidNames`, `importNeedsKind`, `importEmpty`, `importSkipped`, `declined`; what
  ///   reading a file throws.
  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let workspace = preparation.workspace
    var found = try await relationships(at: workspace, preparation.note)
    if leavesOutStatements || !(preparation.asks || preparation.isPreview) { found.leaveOutStatements() }
    try found.finish()
    guard !found.isEmpty else {
      preparation.note(.noInput("rows"))
      return PreparedChanges([])
    }
    let transfer = transfer(of: found, to: preparation.account)
    var changes = try await transfer.changes(in: workspace, preparation.note)
    var agreed = 0
    if changes.haveStatements, preparation.isPreview {
      preparation.note(.statementsAreApart(found.statements))
    } else if changes.haveStatements {
      agreed = try await ask(about: &changes, of: transfer, preparation)
    }
    var prepared = PreparedChanges(changes.requests)
    prepared.narrowing = { [changes] in changes.narrowing($0) }
    prepared.notes = { [.importPlanned(ImportPreview($0))] }
    prepared.agreed = agreed
    prepared.plansTogether = true
    return prepared
  }

  /// Asks about the rows that speak for the account by themselves, and leaves them out after a no.
  ///
  /// - Returns: how many of them change something.
  /// - Throws: ``OperationError`` `declined` if there is nothing else.
  private func ask(
    about changes: inout ImportTransfer.Changes, of transfer: ImportTransfer, _ preparation: ChangePreparation
  ) async throws -> Int {
    let workspace = preparation.workspace
    let statements = try await transfer.statements(in: changes, of: workspace)
    if statements.count == 0 || !preparation.asks { return 0 }
    // What the file calls an account may be the name of another one.
    let names = try await workspace.names().views(of: statements.accounts, asking: true)
    if try await preparation.ask(.statements(statements, names: names)) {
      // A question that could not name them all is followed by the plan.
      return statements.count > PlannedQuestion.mostRows ? 0 : statements.count
    }
    changes.leaveOutStatements()
    if changes.requests.isEmpty { throw OperationError.declined }
    return 0
  }

  /// The maximum, as if nothing existed yet.
  public func add(to estimate: inout ChangeEstimate) async throws {
    let found = try await relationships(at: estimate.workspace, estimate.note)
    try found.finish()
    let transfer = transfer(of: found, to: estimate.account)
    try await estimate.read(Set(graphs.map { .edges($0.kind) }).union([.edges(.follow)]))
    if transfer.concernsLists { try await estimate.read([.lists]) }
    transfer.add(to: &estimate, at: estimate.workspace.time)
  }

  private func relationships(
    at workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> ImportedRelationships {
    var found = ImportedRelationships(
      role: role, in: graphs, only: only, at: Datetime(at: workspace.time.instant),
      invalid: InvalidNames(skipsInvalid ? .skipped : .fatal, note))
    for file in files { try await found.read(file, column: column) }
    return found
  }

  private func transfer(of found: ImportedRelationships, to account: AuthorizedAccount) -> ImportTransfer {
    ImportTransfer(found, to: account, allowingFollowed: allowsFollowed, curation: allowsCuration)
  }
}
