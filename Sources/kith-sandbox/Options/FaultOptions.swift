// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithSandbox

/// Options that make a sandbox fail as real networks do.
struct FaultOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Share of responses that fail, such as 0.3 or 30%; --seed determines which.",
      valueName: "rate"),
    transform: Self.rate)
  var faultRate: Double?

  @Option(
    help: ArgumentHelp(
      "Kinds of faults: a list of \(Self.names). (default: all)", valueName: "list"),
    completion: .list(SandboxFaults.Kind.allCases.map(\.rawValue)), transform: Self.kinds)
  var faults: Set<SandboxFaults.Kind>?

  @Option(
    help: ArgumentHelp(
      "XRPC methods that fail: a list such as com.atproto.repo.applyWrites. (default: all)",
      valueName: "list"),
    transform: Self.methods)
  var faultMethods: Set<NSID>?

  @Option(
    help: ArgumentHelp(
      "Requests per seconds, such as 3000/300; more are refused with 429.",
      valueName: "n/s"),
    transform: Self.limit)
  var rateLimit: SandboxRateLimit?

  mutating func validate() throws {
    guard faults == nil || faultRate != nil else {
      throw ValidationError("--faults needs --fault-rate, for example --fault-rate 0.3.")
    }
    guard faultMethods == nil || faultRate != nil else {
      throw ValidationError("--fault-methods needs --fault-rate, for example --fault-rate 0.3.")
    }
  }

  /// The faults of a sandbox with that seed.
  func faults(seed: UInt64) -> SandboxFaults {
    var plan = SandboxFaults(rate: faultRate ?? 0, methods: faultMethods, seed: seed)
    if let faults { plan.kinds = faults }
    return plan
  }

  static func rate(_ text: String) throws -> Double {
    let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    guard let number, (0...1).contains(number) else {
      throw ValidationError("use a share from 0 to 1 or from 0% to 100%, such as 0.3 or 30%")
    }
    return number
  }

  private static let names = SandboxFaults.Kind.allCases.map(\.rawValue).joined(separator: ",")

  static func kinds(_ text: String) throws -> Set<SandboxFaults.Kind> {
    var kinds: Set<SandboxFaults.Kind> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let kind = SandboxFaults.Kind(rawValue: String(name)) else {
        throw ValidationError("unknown fault \"\(name)\"; use \(names)")
      }
      kinds.insert(kind)
    }
    return kinds
  }

  static func methods(_ text: String) throws -> Set<NSID> {
    var methods: Set<NSID> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      do {
        methods.insert(try NSID(parsing: name))
      } catch {
        throw ValidationError("\(error)")
      }
    }
    return methods
  }

  static func limit(_ text: String) throws -> SandboxRateLimit {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard numbers.count == 2, (1...1_000_000_000).contains(numbers[0]), (1...86_400).contains(numbers[1])
    else {
      throw ValidationError(
        "use requests/seconds, such as 3000/300: at least 1 of each, and at most a day (86400 seconds)")
    }
    return SandboxRateLimit(answers: numbers[0], seconds: numbers[1])
  }
}
