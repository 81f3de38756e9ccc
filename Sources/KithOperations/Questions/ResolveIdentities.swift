// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore
import KithRelationships

/// Resolves the identity of accounts: DID, handle, PDS and signing key. Rows come in the order of the names.
public struct ResolveIdentities: KithOperation {
  public static let name = "resolveIdentities"

  /// Handles for four calls: enough for parallel document requests, few enough for constant memory and early
  /// rows.
  private static let batchSize = 4 * HandleResolver.batchSize

  /// The names of the accounts.
  public var names: TargetStream
  /// Whether names that are not valid are left out.
  public var skipsInvalid: Bool

  public init(_ names: TargetStream, skippingInvalid skipsInvalid: Bool = false) {
    self.names = names
    self.skipsInvalid = skipsInvalid
  }

  /// How a resolution ended.
  public struct Outcome: OutcomeOfRows {
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()
    /// The failed lookups, without the accounts that do not exist.
    public fileprivate(set) var failures = FailureTally()
    /// The last account that does not exist.
    public fileprivate(set) var missing: IdentityError?

    fileprivate mutating func add(_ row: IdentityRow) {
      switch row.outcome {
      case .success: break
      case .failure(let error as IdentityError) where FailureKind(error) == .notFound: missing = error
      case .failure(let error): failures.add(error)
      }
    }

    /// A missing account is a failure only if it is the only one.
    public var ending: Ending {
      Ending(rows, failure: failures.kind ?? (rows.count == 1 && missing != nil ? .notFound : nil))
    }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "failed": .integer(failures.count),
        "firstFailure": .cause(failures.first),
      ])
    }
  }

  public func run(in workspace: Workspace, _ report: Reporter<IdentityRow>) async throws -> Outcome {
    let invalid = InvalidNames(skipsInvalid ? .skipped : .shown, report.note)
    let counting = report.expect(names)
    defer { counting?.cancel() }
    var outcome = Outcome()
    outcome.rows = await report.deliver { rows in
      var names = invalid.filter(names).makeAsyncIterator()
      var remaining: ArraySlice<RelationshipQuestion> = []
      while case let batch = try await Self.batch(from: &names, after: &remaining), !batch.isEmpty {
        for row in try await Self.rows(for: batch, workspace) {
          if case .failure(let error as InputError) = row.outcome { invalid.add(.invalid(error)) }
          outcome.add(row)
          try await rows.append(row)
        }
        try await rows.flush()
      }
    }
    try invalid.finish()
    return outcome
  }

  /// - Parameter remaining: what was read but is not in a batch yet.
  private static func batch(
    from names: inout TargetStream.Iterator, after remaining: inout ArraySlice<RelationshipQuestion>
  ) async throws -> ArraySlice<RelationshipQuestion> {
    while remaining.count < batchSize, let more = try await names.next() { remaining += more }
    defer { remaining = remaining.dropFirst(batchSize) }
    return remaining.prefix(batchSize)
  }

  private static func rows(
    for questions: ArraySlice<RelationshipQuestion>, _ workspace: Workspace
  ) async throws -> [IdentityRow] {
    var outcomes = try await workspace.identities.identities(of: questions.compactMap(\.identifier))
      .makeIterator()
    return questions.compactMap { question in
      let input = question.input ?? question.identifier?.description ?? ""
      if case .unreadable(let error) = question.target {
        return IdentityRow(input: input, outcome: .failure(error))
      }
      return outcomes.next().map { IdentityRow(input: input, outcome: $0.mapError(\.self)) }
    }
  }
}

extension RelationshipQuestion {
  /// The named account; nil for an invalid name.
  fileprivate var identifier: ATIdentifier? {
    switch target {
    case .did(let did): .did(did)
    case .handle(let handle): .handle(handle)
    case .unreadable: nil
    }
  }
}
