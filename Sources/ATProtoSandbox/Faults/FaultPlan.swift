// SPDX-License-Identifier: Apache-2.0

/// Decides which answers go wrong, by numbers drawn from the seed, the request and its how-manieth arrival.
///
/// Requests do not share a generator: with several in flight, the order in which they arrive is a matter of
/// chance, and must not decide on their faults.
struct FaultPlan {
  /// What becomes of one answer.
  struct Fault: Hashable {
    let kind: Sandbox.Faults.Kind
    /// Random bits that decide on the details, such as where an answer is cut.
    let variant: UInt64
  }

  private let rate: Double
  private let kinds: [Sandbox.Faults.Kind]
  /// The paths of the methods that it hits; nil for all paths.
  private let paths: Set<String>?
  private let seed: UInt64
  /// How often each request has come; sixteen bytes for each different one.
  private var arrivals: [UInt64: UInt64] = [:]

  init(_ faults: Sandbox.Faults) {
    rate = faults.rate
    kinds = Sandbox.Faults.Kind.allCases.filter(faults.kinds.contains)
    paths = faults.methods.map { Set($0.map { "/xrpc/\($0)" }) }
    seed = SplitMix64.mix(faults.seed)
  }

  /// The fault of the answer to a request that has just come, or nil where it goes well.
  mutating func arrived(_ request: HTTPRequest) -> Fault? {
    guard rate > 0, !kinds.isEmpty, paths?.contains(request.path) != false else { return nil }
    let identity = Self.identity(of: request)
    let arrival = arrivals[identity, default: 0]
    arrivals[identity] = arrival + 1
    var numbers = SplitMix64(seed: seed ^ SplitMix64.mix(identity &+ arrival))
    guard numbers.nextFraction() < rate else { return nil }
    return Fault(kind: kinds[numbers.next(below: kinds.count)], variant: numbers.next())
  }

  /// A number for what is asked: FNV-1a over the method, the host without its port, which differs from run to
  /// run, and the target.
  private static func identity(of request: HTTPRequest) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let host = request.host?.split(separator: ":").first ?? ""
    for part in [request.method[...], host, request.path[...], request.query[...]] {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return hash
  }
}
