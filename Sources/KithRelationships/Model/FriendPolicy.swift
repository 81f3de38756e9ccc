// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

/// On which terms an account takes part in friend requests, as the record `self` of the lexicon
/// `org.kith.temp.graph.friendPolicy`. Clients respect it; the protocol cannot enforce it.
public struct FriendPolicy: Sendable, Hashable {
  /// Who may write requests.
  public enum Audience: Sendable, Hashable {
    /// Everyone.
    case everyone
    /// The accounts that follow the account.
    case followers
    /// The followers that it follows back.
    case mutuals
    /// No account.
    case nobody
    /// Something that this version of Kith does not know.
    case unknown(String)

    /// The audiences that can be declared.
    public static let known: [Audience] = [.everyone, .followers, .mutuals, .nobody]

    /// The word in the record.
    public var word: String {
      switch self {
      case .everyone: "everyone"
      case .followers: "followers"
      case .mutuals: "mutuals"
      case .nobody: "none"
      case .unknown(let word): word
      }
    }

    /// The audience that a record names.
    public init(word: String) { self = Self.known.first { $0.word == word } ?? .unknown(word) }
  }

  /// Who may write requests to the account.
  public var whoMayAsk: Audience
  /// Whether the account wants to be asked before it is followed. Those who follow it already stay followers.
  public var requiresApproval: Bool
  /// How long the account's own requests stay open unless it says otherwise; nil if they have no end.
  public var requestLifetime: Duration?

  /// The shortest and the longest ``requestLifetime``: an hour and a year.
  public static let lifetimes: ClosedRange<Duration> = .seconds(3_600)...(.seconds(31_536_000))

  /// The collection of the record: `org.kith.temp.graph.friendPolicy`.
  public static let collection = Record.nsid

  private typealias Record = Org.Kith.Temp.Graph.FriendPolicy

  /// Creates a policy; without arguments it is that of an account that takes part and says no more.
  public init(
    whoMayAsk: Audience = .everyone, requiresApproval: Bool = false, requestLifetime: Duration? = nil
  ) {
    self.whoMayAsk = whoMayAsk
    self.requiresApproval = requiresApproval
    self.requestLifetime = requestLifetime
  }

  /// Reads a record strictly; nil if it is not a policy.
  package init?(_ value: DataValue) {
    guard let record = try? value.decode(Record.self), (try? record.validate()) != nil,
      record.hasOnlyReadable("whoMayAsk", "requireApproval", "requestLifetime"),
      value.type == Self.collection.description
    else { return nil }
    self.init(
      whoMayAsk: record.whoMayAsk.map { Audience(word: $0.rawValue) } ?? .everyone,
      requiresApproval: record.requireApproval ?? false,
      requestLifetime: record.requestLifetime.map { .seconds($0) })
  }

  /// The record: what it replaces, with the fields that this policy sets. Fields that Kith does not know are kept.
  package func record(replacing former: DataValue?, at moment: Datetime) -> DataValue {
    var fields: DataObject = former?.object ?? ["createdAt": .string(moment.description)]
    fields["$type"] = .string(Self.collection.description)
    fields["whoMayAsk"] = .string(whoMayAsk.word)
    fields["requireApproval"] = .bool(requiresApproval)
    fields["requestLifetime"] = requestLifetime.map { .integer($0.components.seconds) }
    return .object(fields)
  }
}
