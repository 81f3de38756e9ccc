// SPDX-License-Identifier: Apache-2.0

/// Almost valid texts: seeds with a few edits each, the same in each run.
package struct Mutations: Sequence, IteratorProtocol {
  private let seeds: [[Unicode.Scalar]]
  private let alphabet: [Unicode.Scalar]
  private var remaining: Int
  private var generator: SeededGenerator

  /// Creates this many texts from the seeds and the characters of an alphabet.
  package init(of seeds: [String], alphabet: String, count: Int, seed: UInt64 = 1) {
    self.seeds = seeds.map { Array($0.unicodeScalars) }
    self.alphabet = Array(alphabet.unicodeScalars)
    self.remaining = count
    self.generator = SeededGenerator(seed: seed)
  }

  package mutating func next() -> String? {
    guard remaining > 0, var scalars = seeds.randomElement(using: &generator) else { return nil }
    remaining -= 1
    for _ in 0..<Int.random(in: 1...3, using: &generator) { edit(&scalars) }
    return String(String.UnicodeScalarView(scalars))
  }

  private mutating func edit(_ scalars: inout [Unicode.Scalar]) {
    let position = Int.random(in: 0...scalars.count, using: &generator)
    let other = Int.random(in: 0...scalars.count, using: &generator)
    let range = Swift.min(position, other)..<Swift.max(position, other)
    guard let scalar = alphabet.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: scalars.removeSubrange(range)
    case 1: scalars.insert(contentsOf: scalars[range], at: position)
    case 2, 3, 4: scalars.insert(scalar, at: position)
    default:
      if position < scalars.count { scalars[position] = scalar } else { scalars.append(scalar) }
    }
  }
}
