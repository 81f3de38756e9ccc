// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithRelationships
import KithWriting

/// The parameters of a request, each read as what it has to be.
struct APIParameters {
  private let items: QueryItems

  init(_ items: QueryItems) { self.items = items }

  /// Refuses parameters of other names: one that is misspelled would change what is asked for.
  func check(_ known: [String]) throws(DashboardError) {
    for item in items.items where !known.contains(item.name) {
      throw .invalid(item.name, "there is no such parameter here; there are \(known.joined(separator: ", "))")
    }
  }

  func text(_ name: String) -> String? { items[name] }

  /// All values of a parameter that may be repeated.
  func texts(_ name: String) -> [String] { items.all(name) }

  func actor(_ name: String) throws(DashboardError) -> ATIdentifier? {
    try value(name, "this is not a handle or DID") { ATIdentifier($0) }
  }

  func neededActor(_ name: String) throws(DashboardError) -> ATIdentifier {
    guard let actor = try actor(name) else { throw .invalid(name, "this parameter is needed") }
    return actor
  }

  func job(_ name: String) throws(DashboardError) -> JobID? {
    try value(name, "this is not the number of a job") { JobID($0) }
  }

  func number(_ name: String, upTo most: Int) throws(DashboardError) -> Int? {
    try value(name, "this is not a number from 1 to \(most)") { text in
      Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
    }
  }

  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type
  ) throws(DashboardError) -> Word? {
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    return try value(name, "this is not one of \(words)") { Word(rawValue: $0) }
  }

  func predicate(_ name: String, now: Instant) throws(DashboardError) -> AccountPredicate? {
    guard let text = items[name] else { return nil }
    do { return try AccountPredicate(parsing: text, now: Datetime(at: now)) } catch {
      throw .invalid(name, "\(error)")
    }
  }

  private func value<Value>(
    _ name: String, _ fault: String, _ read: (String) -> Value?
  ) throws(DashboardError) -> Value? {
    guard let text = items[name] else { return nil }
    guard let value = read(text) else { throw .invalid("\(name)=\(text)", fault) }
    return value
  }
}
