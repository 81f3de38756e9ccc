// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The accounts of sources, one source after the other, in parts of what was read at once: a step of a sequence
/// costs more than an account.
public struct SelectedQuestions: AsyncSequence, Sendable {
  public typealias Element = [RelationshipQuestion]
  public typealias Failure = any Error

  private let sources: [AccountSelection.Source]
  private let selector: AccountSelector
  private let predicate: AccountPredicate?
  private let event: @Sendable (SelectionEvent) -> Void

  /// - Parameter predicate: what accounts of listings have to match.
  init(
    _ sources: [AccountSelection.Source], _ selector: AccountSelector, where predicate: AccountPredicate?,
    _ event: @escaping @Sendable (SelectionEvent) -> Void
  ) {
    self.sources = sources
    self.selector = selector
    self.predicate = predicate
    self.event = event
  }

  public func makeAsyncIterator() -> Iterator { Iterator(of: self) }

  /// Opens a source when the one before it has ended.
  public struct Iterator: AsyncIteratorProtocol {
    private typealias Members = any AsyncIteratorProtocol<Result<AccountView, MalformedRecord>, any Error>

    private enum Stage {
      case names(any AsyncIteratorProtocol<[RelationshipQuestion], any Error>)
      case listing(ActorListing, AccountListing.AsyncIterator)
      case members(Members)
    }

    private let all: SelectedQuestions
    private var remaining: ArraySlice<AccountSelection.Source>
    private var stage: Stage?

    fileprivate init(of all: SelectedQuestions) {
      self.all = all
      remaining = all.sources[...]
    }

    public mutating func next() async throws -> [RelationshipQuestion]? { try await next(isolation: nil) }

    /// Stays on the reader's executor: most names are read already.
    public mutating func next(
      isolation reader: isolated (any Actor)?
    ) async throws -> [RelationshipQuestion]? {
      while true {
        switch stage {
        case .names(var names)?:
          let part = try await names.next(isolation: reader)
          stage = part == nil ? nil : .names(names)
          if let part { return part }
        case .listing(let listing, var accounts)?:
          let part = try await accounts.nextPart()
          stage = part == nil ? nil : .listing(listing, accounts)
          if let part {
            if part.isEmpty { continue }
            return part.map { RelationshipQuestion($0) }
          }
          all.event(.listed(listing, accounts.coverage))
        case .members(var members)?:
          let member = try await members.next(isolation: reader)
          stage = member == nil ? nil : .members(members)
          switch member {
          case .success(let view)?:
            return [RelationshipQuestion(input: "\(view.account)", target: .did(view.account))]
          case .failure(let record)?: all.event(.unreadable(record))
          case nil: break
          }
        case nil:
          guard let source = remaining.popFirst() else { return nil }
          switch source {
          case .names(let names): stage = .names(Self.iterator(of: names))
          case .listing(let query):
            let accounts = try await all.selector.accounts(query, where: all.predicate)
            stage = .listing(query.listing, accounts.makeAsyncIterator())
          case .members(let list, let reader): stage = .members(Self.iterator(of: reader.members(of: list)))
          }
        }
      }
    }

    private static func iterator<Element>(
      of sequence: any AsyncSequence<Element, any Error>
    ) -> any AsyncIteratorProtocol<Element, any Error> {
      sequence.makeAsyncIterator()
    }
  }
}
