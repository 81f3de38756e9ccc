// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

/// Decides which answers fail, by random numbers derived from the seed, the request, and how often the
/// request has come.
///
/// Requests do not share a generator: with several in flight, their order is arbitrary and must not affect
/// the faults.
struct FaultPlan {
  /// The fault of one answer.
  struct Fault: Hashable {
    let kind: SandboxFaults.Kind
    /// Random bits for the details, such as where an answer is cut.
    let variant: UInt64
  }

  private let rate: Double
  private let kinds: [SandboxFaults.Kind]
  /// The paths of the affected methods; nil for all paths.
  private let paths: Set<String>?
  private let seed: UInt64
  /// How often each request has come; sixteen bytes per distinct request.
  private var arrivals: [UInt64: UInt64] = [:]

  init(_ faults: SandboxFaults) {
    rate = faults.rate
    kinds = SandboxFaults.Kind.allCases.filter(faults.kinds.contains)
    paths = faults.methods.map { Set($0.map { "/xrpc/\($0)" }) }
    seed = SplitMix64.mix(faults.seed)
  }

  /// Counts a request and returns the fault of its answer; nil for none.
  mutating func arrived(_ request: LocalRequest) -> Fault? {
    guard rate > 0, !kinds.isEmpty, paths?.contains(request.path) != false else { return nil }
    let identity = Self.identity(of: request)
    let arrival = arrivals[identity, default: 0]
    arrivals[identity] = arrival + 1
    var numbers = SplitMix64(seed: seed ^ SplitMix64.mix(identity &+ arrival))
    guard numbers.nextFraction() < rate else { return nil }
    return Fault(kind: kinds[numbers.next(below: kinds.count)], variant: numbers.next())
  }

  /// Identifies a request: FNV-1a over the method, the host without its port (which differs between runs),
  /// and the target.
  private static func identity(of request: LocalRequest) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let host = request["host"]?.split(separator: ":").first ?? ""
    for part in [request.method[...], host, request.path[...], request.query[...]] {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return hash
  }
}
