// SPDX-License-Identifier: Apache-2.0

/// The scope of a type: the names used in it, and its nested types.
struct Scope {
  private var taken: Set<String>
  private(set) var types: [Member] = []

  init(taken: Set<String> = []) { self.taken = taken }

  /// Returns a type name that is unique in the scope.
  mutating func claim(_ name: String) -> String {
    var name = name
    while !taken.insert(name).inserted { name += "Value" }
    return name
  }

  mutating func add(_ type: Member) { types.append(type) }
}
