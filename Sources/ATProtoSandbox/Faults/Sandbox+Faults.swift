// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension Sandbox {
  /// Which share of the answers goes wrong, and how: what a client has to bear in a real network.
  ///
  /// Health checks are spared. Which answers it hits depends on the seed, on the request and on how often that
  /// very request has come, and on nothing else: the same questions meet the same faults in every run, however
  /// many are in flight and in whatever order they arrive. A request is known by its method, host, path and query:
  /// calls of one procedure are told apart by the order in which they come.
  public struct Faults: Sendable, Hashable {
    /// The share of answers that go wrong, from 0 to 1.
    public var rate: Double
    /// What may go wrong; each kind is as likely as the others.
    public var kinds: Set<Kind>
    /// The XRPC methods whose answers go wrong; nil for all, and for whatever else is asked.
    public var methods: Set<NSID>?
    /// Another seed hits other answers.
    public var seed: UInt64
    /// Between two of the eight pieces of a slow answer, by the configuration's clock.
    public var pause: Duration

    /// The default is that every answer is right.
    public init(
      rate: Double = 0, kinds: Set<Kind> = Set(Kind.allCases), methods: Set<NSID>? = nil, seed: UInt64 = 1,
      pause: Duration = .milliseconds(50)
    ) {
      self.rate = rate
      self.kinds = kinds
      self.methods = methods
      self.seed = seed
      self.pause = pause
    }

    /// What may become of an answer.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The server itself fails, and has done nothing: an XRPC error body.
      case internalServerError = "500"
      /// A proxy in front of it fails, before the server is asked or after: plain text.
      case badGateway = "502"
      /// The proxy is told to turn everybody away, and does not ask the server: plain text.
      case serviceUnavailable = "503"
      /// The connection is reset: before the server has done anything, or within its answer.
      case reset
      /// The connection ends before the length that was declared.
      case truncate
      /// Nothing comes, or the head alone, and then silence until the client leaves, ten minutes at most.
      case stall
      /// The answer comes in eight pieces with pauses.
      case slow
      /// Bytes that are no HTTP, or HTTP with a body that is no JSON.
      case garbage
      /// A web page, with status 200, and the server is not asked: a portal that wants a login, say.
      case html
      /// The server does what it is asked to, and the connection is reset before a byte of the answer is sent.
      case lost
    }
  }

  /// How many answers there are in a window of time, all callers together; more are refused with 429.
  ///
  /// Every answer then says how many are left, as the reference server's do: `RateLimit-Limit`, `-Remaining`,
  /// `-Reset` (epoch seconds, rounded down) and `-Policy`; a refusal has `Retry-After`. A window begins with the
  /// first request after the last one has ended.
  public struct RateLimit: Sendable, Hashable {
    /// Answers in a window.
    public var answers: Int
    /// Length of a window, in seconds.
    public var seconds: Int

    /// Allows so many answers in so many seconds; both are at least 1.
    public init(answers: Int, seconds: Int) {
      self.answers = max(1, answers)
      self.seconds = max(1, seconds)
    }
  }
}
