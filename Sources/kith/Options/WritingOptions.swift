// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ATProtoSandbox
import ArgumentParser

/// Options that shape the PDS of a sandbox.
struct WritingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("How long an access token lasts, in seconds, 1 to 86,400.", valueName: "seconds"))
  var accessLifetime = 7_200

  @Option(
    help: ArgumentHelp(
      "An account that signs in with a code too; it is always \(Sandbox.Writing.signInCode).",
      valueName: "handle"),
    transform: Self.handle)
  var withCode: [Handle] = []

  @Option(help: ArgumentHelp("How many points an account may write in an hour.", valueName: "n"))
  var pointsPerHour = 5_000

  @Option(help: ArgumentHelp("How many points an account may write in a day.", valueName: "n"))
  var pointsPerDay = 35_000

  @Option(help: ArgumentHelp("How many writes the PDS takes in one commit, 1 to 200.", valueName: "n"))
  var mostWrites = 200

  @Option(
    help: ArgumentHelp(
      "How long after a commit the AppView knows of it, in milliseconds, 0 to 600,000.", valueName: "ms"))
  var lag = 0

  @Option(
    help: ArgumentHelp(
      "Which PDS it is like, one of \(Self.dialects). (default: reference)", valueName: "name"),
    transform: Self.dialect)
  var dialect = Sandbox.Dialect.reference

  mutating func validate() throws {
    try check("--access-lifetime", accessLifetime, in: 1...86_400)
    try check("--points-per-hour", pointsPerHour, in: 1...1_000_000_000)
    try check("--points-per-day", pointsPerDay, in: 1...1_000_000_000)
    try check("--most-writes", mostWrites, in: 1...200)
    try check("--lag", lag, in: 0...600_000)
  }

  private func check(_ name: String, _ value: Int, in range: ClosedRange<Int>) throws {
    guard !range.contains(value) else { return }
    throw ValidationError(
      "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(value).")
  }

  private static let dialects = Sandbox.Dialect.allCases.map(\.rawValue).joined(separator: ",")

  static func handle(_ text: String) throws -> Handle {
    do { return try Handle(parsing: text) } catch { throw ValidationError("\(error)") }
  }

  static func dialect(_ name: String) throws -> Sandbox.Dialect {
    guard let dialect = Sandbox.Dialect(rawValue: name) else {
      throw ValidationError("there is no PDS \"\(name)\"; there are \(dialects)")
    }
    return dialect
  }

  /// How the sandbox takes changes.
  var writing: Sandbox.Writing {
    Sandbox.Writing(
      dialect: dialect, accessLifetime: .seconds(accessLifetime), pointsPerHour: pointsPerHour,
      pointsPerDay: pointsPerDay, mostWrites: mostWrites,
      accountsWithCode: Set(withCode), lag: .milliseconds(lag))
  }
}
