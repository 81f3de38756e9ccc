// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// What two accounts have asked of each other, and whether they are friends.
///
/// Two accounts are friends if one of them has a request of the kind ``FriendRequest/Kind/friend`` in its repository, the
/// other one has accepted this very version of it, and neither blocks the other. Both sides, and everyone else, get the
/// same answer from the same records.
public struct Friendship: Sendable, Hashable {
  /// What became of a request.
  public enum RequestState: Sendable, Hashable {
    /// There is no request.
    case none
    /// There is no public answer to it: a refusal is never public.
    case open(FriendRequest)
    /// It was not accepted in time.
    case expired(FriendRequest)
    /// It was accepted.
    case accepted(FriendRequest, FriendAnswer)
    /// It could not be found out.
    case unknown

    /// The request; nil if there is none, or if that is unknown.
    public var request: FriendRequest? {
      switch self {
      case .open(let request), .expired(let request), .accepted(let request, _): request
      case .none, .unknown: nil
      }
    }

    /// What became of a request.
    ///
    /// - Parameters:
    ///   - request: what the requester's repository says.
    ///   - answer: what the subject's repository says about it; not read if there is no request.
    package init(of request: Lookup<FriendRequest>, _ answer: Lookup<FriendAnswer>, at moment: Instant) {
      guard case .found(let request) = request else {
        self = request == .none ? .none : .unknown
        return
      }
      switch answer {
      case .found(let answer) where answer.accepts(request): self = .accepted(request, answer)
      case .found, .none: self = request.isOpen(at: moment) ? .open(request) : .expired(request)
      case .unknown: self = .unknown
      }
    }

    var isOpen: Bool? {
      switch self {
      case .open: true
      case .unknown: nil
      case .none, .expired, .accepted: false
      }
    }

    var makesFriends: Bool? {
      switch self {
      case .accepted(let request, _): request.kind == .friend
      case .unknown: nil
      case .none, .expired, .open: false
      }
    }
  }

  /// What became of the request of the account that is asked about.
  public let asked: RequestState
  /// What became of the request of the other account.
  public let askedBy: RequestState
  /// Whether one of them blocks the other, which voids everything; nil if unknown, or if there is nothing to void.
  public let isBlocked: Bool?
  /// Why something is unknown; nil if nothing is, or if no server gave a reason.
  public let fault: RelationshipError?

  /// Creates what is known about two accounts.
  public init(
    asked: RequestState, askedBy: RequestState, isBlocked: Bool?, fault: RelationshipError? = nil
  ) {
    (self.asked, self.askedBy, self.isBlocked, self.fault) = (asked, askedBy, isBlocked, fault)
  }

  /// Whether the two are friends; nil if unknown.
  public var isFriend: Bool? {
    switch (asked.makesFriends, askedBy.makesFriends) {
    case (true, _), (_, true): isVoid(unlessBlocked: true)
    case (false, false): false
    default: isBlocked == true ? false : nil
    }
  }

  /// Whether the account has asked the other one and was not answered; nil if unknown.
  public var isRequested: Bool? { isVoid(unlessBlocked: asked.isOpen) }

  /// Whether the other account has asked and was not answered; nil if unknown.
  public var isRequestedBy: Bool? { isVoid(unlessBlocked: askedBy.isOpen) }

  /// The request and the answer that make them friends, or did before a block; the older of two.
  package var consent: (request: FriendRequest, answer: FriendAnswer)? {
    [asked, askedBy].compactMap { standing -> (request: FriendRequest, answer: FriendAnswer)? in
      guard case .accepted(let request, let answer) = standing, request.kind == .friend else { return nil }
      return (request, answer)
    }.min { $0.answer.createdAt.instant < $1.answer.createdAt.instant }
  }

  private func isVoid(unlessBlocked value: Bool?) -> Bool? {
    if value == false || isBlocked == true { return false }
    return isBlocked == nil ? nil : value
  }
}

extension Friendship {
  /// Whether two accounts are friends, and whether one waits for the other; nil for what is unknown.
  public struct Summary: Sendable, Hashable, Codable {
    /// Whether they are friends by consent.
    public let isFriend: Bool?
    /// Whether the account has asked the other one, and waits.
    public let isRequested: Bool?
    /// Whether the other account has asked, and waits.
    public let isRequestedBy: Bool?
    /// Why something is unknown; nil if nothing is, or if no server gave a reason. It is not coded.
    public private(set) var fault: RelationshipError?

    private enum CodingKeys: CodingKey { case isFriend, isRequested, isRequestedBy }
  }

  /// What it comes to.
  public var summary: Summary {
    Summary(isFriend: isFriend, isRequested: isRequested, isRequestedBy: isRequestedBy, fault: fault)
  }
}

/// What a repository says about a record.
package enum Lookup<Record: Sendable & Hashable>: Sendable, Hashable {
  case found(Record)
  case none
  /// It could not be read.
  case unknown

  /// The record, if it is there.
  package var record: Record? { if case .found(let record) = self { record } else { nil } }
}
