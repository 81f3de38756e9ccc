// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// A list that says that its members have something in common with an actor.
package struct SharedList: Sendable {
  /// What the AppView says about it.
  package let list: ListSummary
  /// The newest members that the AppView shows, at most 100.
  package let members: [DID]
}

extension Listings {
  /// The most lists of a kind that are read for one actor.
  package static let mostSharedLists = 10

  /// Lists of an actor, and lists on which it is, of people to read: those of starter packs, too, but none for moderation.
  ///
  /// Only a backlink index knows on which lists of others an account is. A list that cannot be read is left out.
  /// - Throws: `CancellationError`.
  package func sharedLists(of actor: DID) async throws -> (lists: [SharedList], fault: (any Error)?) {
    var kinds = [try await first(lists(of: .did(actor))) { $0.purpose == .moderate ? nil : $0.uri }]
    do {
      if let repository {
        let packs = RecordReader(of: actor, client: try await repository(actor)).starterPacks()
        kinds.append(
          try await first(packs) { if case .success(let pack) = $0, pack.ownsList { pack.list } else { nil } }
        )
      }
    } catch {
      if error is CancellationError { throw error }
      kinds.append(([], error))
    }
    if let index { kinds.append(try await first(index.lists { actor }) { $0 }) }
    var fault = kinds.lazy.compactMap(\.fault).first
    var wanted: [ATURI] = []
    for list in kinds.lazy.flatMap(\.lists) where !wanted.contains(list) { wanted.append(list) }
    let read = try await wanted.concurrentMap(atMost: 4) {
      list -> Result<SharedList, RelationshipError> in
      do { return .success(try await self.sharedList(list)) } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        return .failure(fault)
      }
    }
    var found: [SharedList] = []
    for outcome in read {
      switch outcome {
      case .success(let shared): if shared.list.purpose != .moderate { found.append(shared) }
      case .failure(let error): if error.code != .listNotFound { fault = fault ?? error }
      }
    }
    return (found, fault)
  }

  /// The first lists of a kind, and why there may be more.
  private func first<Element>(
    _ elements: PagedSequence<Element>, _ list: (Element) -> ATURI?
  ) async throws -> (lists: [ATURI], fault: (any Error)?) {
    var found: [ATURI] = []
    do {
      var pages = elements.makeAsyncIterator()
      while found.count < Self.mostSharedLists, let page = try await pages.nextPage() {
        found += page.compactMap(list).prefix(Self.mostSharedLists - found.count)
      }
      return (found, nil)
    } catch {
      if error is CancellationError { throw error }
      return (found, error)
    }
  }

  private func sharedList(_ list: ATURI) async throws -> SharedList {
    struct Item: Decodable { let subject: ProfileWords }
    struct Answer: Decodable {
      let list: ListSummary
      let items: ReadableElements<Item>
    }
    typealias Method = App.Bsky.Graph.GetList
    do {
      let answer = try await client.query(
        Method.self, Method.Parameters(list: list, limit: Self.pageSize), reading: Answer.self)
      return SharedList(list: answer.list, members: answer.items.elements.map(\.subject.did))
    } catch let error as XRPCError {
      throw error.saysNotFound ? RelationshipError.listNotFound(list) : RelationshipError(error)
    }
  }
}
