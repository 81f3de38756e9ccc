// SPDX-License-Identifier: Apache-2.0

/// The inside of a type: the names that are taken in it, and the types that were put there.
struct Scope {
  private var taken: Set<String>
  private(set) var types: [Member] = []

  init(taken: Set<String> = []) { self.taken = taken }

  /// A name for a type that no other here has.
  mutating func claim(_ name: String) -> String {
    var name = name
    while !taken.insert(name).inserted { name += "Value" }
    return name
  }

  mutating func add(_ type: Member) { types.append(type) }
}
