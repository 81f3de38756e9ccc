// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithSandbox

/// Options that define the PDS of a sandbox.
struct WritingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Lifetime of an access token in seconds, 1 to 86,400.", valueName: "seconds"))
  var accessLifetime = 7_200

  @Option(
    help: ArgumentHelp(
      "An account that also needs a sign-in code, which is always \(SandboxWriting.signInCode).",
      valueName: "handle"),
    transform: Self.handle)
  var withCode: [Handle] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Write budget of an account per hour, in points.", valueName: "n"))
  var pointsPerHour = 5_000

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Write budget of an account per day, in points.", valueName: "n"))
  var pointsPerDay = 35_000

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Most writes that the PDS accepts per commit, 1 to 200.", valueName: "n"))
  var mostWrites = 200

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Delay in milliseconds until the AppView sees a commit, 0 to 600,000.", valueName: "ms"))
  var lag = 0

  @Option(
    help: ArgumentHelp(
      "PDS implementation to imitate, one of \(Self.dialects). (default: reference)", valueName: "name"),
    completion: .list(SandboxDialect.allCases.map(\.rawValue)), transform: Self.dialect)
  var dialect = SandboxDialect.reference

  @Option(
    help: ArgumentHelp(
      "An account that the AppView never indexes; repeat it for more.", valueName: "handle"),
    transform: Self.handle)
  var unindexed: [Handle] = []

  @Option(
    help: ArgumentHelp(
      """
      How the PDS answers applyWrites, one of \(Self.acknowledgements): all but the first name no records. \
      (default: full)
      """, valueName: "name"),
    completion: .list(SandboxAcknowledgement.allCases.map(\.rawValue)), transform: Self.acknowledgement)
  var acknowledgement = SandboxAcknowledgement.full

  @Flag(help: "Have the PDS ignore the keys that clients choose for new records.")
  var ownKeys = false

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
      "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(value).")
  }

  private static let dialects = SandboxDialect.allCases.map(\.rawValue).joined(separator: ",")

  static func handle(_ text: String) throws -> Handle {
    do { return try Handle(parsing: text) } catch { throw ValidationError("\(error)") }
  }

  static func dialect(_ name: String) throws -> SandboxDialect {
    guard let dialect = SandboxDialect(rawValue: name) else {
      throw ValidationError("unknown PDS \"\(name)\"; use \(dialects)")
    }
    return dialect
  }

  private static let acknowledgements = SandboxAcknowledgement.allCases.map(\.rawValue)
    .joined(separator: ",")

  static func acknowledgement(_ name: String) throws -> SandboxAcknowledgement {
    guard let acknowledgement = SandboxAcknowledgement(rawValue: name) else {
      throw ValidationError("unknown acknowledgement \"\(name)\"; use \(acknowledgements)")
    }
    return acknowledgement
  }

  /// How the sandbox handles writes.
  var writing: SandboxWriting {
    SandboxWriting(
      dialect: dialect, accessLifetime: .seconds(accessLifetime), pointsPerHour: pointsPerHour,
      pointsPerDay: pointsPerDay, mostWrites: mostWrites,
      accountsWithCode: Set(withCode), lag: .milliseconds(lag), unindexed: Set(unindexed),
      acknowledgement: acknowledgement, choosesKeys: ownKeys)
  }
}
