// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Figures by name, in the order of the metric; nil if unknown.
typealias NamedFigures = [String: [Double?]]

/// Figures computed with numpy and scipy, by `Tests/Insights/recompute.py`.
enum Recomputation {
  struct Failure: Error {
    let status: Int32
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Insights/recompute")

  /// The figures of each input.
  static func figures(_ metric: String, _ inputs: some Encodable) throws -> [NamedFigures] {
    try answer(metric, inputs, of: [NamedFigures].self)
  }

  /// What the script says about inputs.
  static func answer<Answer: Decodable>(
    _ metric: String, _ inputs: some Encodable, of type: Answer.Type
  ) throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-insights-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, answer) = (folder.appending(path: "inputs.json"), folder.appending(path: "figures.json"))
    try JSONEncoder().encode(inputs).write(to: file)
    try Data().write(to: answer)
    let process = Process()
    process.executableURL = script
    process.arguments = [metric, file.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: answer)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return try JSONDecoder().decode(Answer.self, from: Data(contentsOf: answer))
  }

  /// Records an issue for the first input whose figures differ from numpy's.
  static func expect<Input: Encodable>(
    _ metric: String, of inputs: [Input], tolerance: Double = 1e-9, _ figures: (Input) throws -> NamedFigures,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let wanted = try Self.figures(metric, inputs)
    #expect(wanted.count == inputs.count && !inputs.isEmpty, sourceLocation: sourceLocation)
    var differing = 0
    for (index, (input, wanted)) in zip(inputs, wanted).enumerated() where differing < 3 {
      let found = try figures(input)
      for name in Set(wanted.keys).union(found.keys).sorted() {
        let (theirs, ours) = (wanted[name] ?? [], found[name] ?? [])
        guard !agree(ours, theirs, tolerance) else { continue }
        differing += 1
        Issue.record(
          "\(metric) \(index), \(name): \(text(ours)) instead of \(text(theirs))",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// Whether two lists are equal except for rounding errors.
  static func agree(_ ours: [Double?], _ theirs: [Double?], _ tolerance: Double) -> Bool {
    ours.count == theirs.count
      && zip(ours, theirs).allSatisfy { one, other in
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= tolerance * max(1, abs(one), abs(other))
      }
  }

  private static func text(_ figures: [Double?]) -> String {
    "\(figures.count): " + figures.prefix(40).map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " ")
  }
}

extension Estimate {
  /// The value and its bounds.
  var numbers: [Double?] { [value, interval.lowerBound, interval.upperBound] }
}

extension Sequence {
  /// Integers as figures.
  func numbers<Number: BinaryInteger>(_ number: (Element) -> Number?) -> [Double?] {
    map { element in number(element).map { Double($0) } }
  }
}

extension Sequence {
  /// Instants as figures, in microseconds.
  func numbers(_ instant: (Element) -> Instant?) -> [Double?] {
    map { element in instant(element).map { Double($0.microsecondsSinceEpoch) } }
  }
}
