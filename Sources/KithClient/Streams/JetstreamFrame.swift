// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A message of a Jetstream, of either version.
///
/// Lexicon: `network.bsky.jetstream.subscribeEvents`; the first version has none.
package enum JetstreamFrame: Hashable {
  case event(JetstreamEvent)
  /// An advisory notice, such as `OutdatedCursor`.
  case info(name: String)
  /// The last message of a connection: its name and the host's words.
  case error(name: String, message: String)
  /// Of a kind that is not known, or not readable.
  case skipped

  /// Reads a message.
  ///
  /// - Parameter host: the host, for the cursor.
  package init(_ bytes: [UInt8], wire: JetstreamConnection.Wire, host: String) {
    let frame: JetstreamFrame? =
      switch wire {
      case .v1: (try? JSONCoding.decode(FirstVersion.self, from: bytes))?.frame(host)
      case .v2: (try? JSONCoding.decode(SecondVersion.self, from: bytes))?.frame(host)
      }
    self = frame ?? .skipped
  }
}

/// The change of a record, which both versions write alike.
private struct Change: Decodable {
  let operation: String
  let collection: NSID
  let rkey: RecordKey
  let record: DataValue?

  private enum CodingKeys: CodingKey { case operation, collection, rkey, record }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    operation = try container.decode(String.self, forKey: .operation)
    collection = try container.decode(NSID.self, forKey: .collection)
    rkey = try container.decode(RecordKey.self, forKey: .rkey)
    // A record outside the data model does not hide that there is one.
    record = try? container.decodeIfPresent(DataValue.self, forKey: .record)
  }

  var commit: JetstreamCommit? {
    switch operation {
    case "create": JetstreamCommit(.create(record), collection, rkey)
    case "update": JetstreamCommit(.update(record), collection, rkey)
    case "delete": JetstreamCommit(.delete, collection, rkey)
    default: nil
    }
  }
}

private struct IdentityChange: Decodable {
  let handle: Handle?

  private enum CodingKeys: CodingKey { case handle }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    handle = try? container.decodeIfPresent(Handle.self, forKey: .handle)
  }
}

private struct AccountChange: Decodable {
  let active: Bool
  let status: String?

  var state: JetstreamAccountState { JetstreamAccountState(isActive: active, status: status) }
}

/// A message of `/subscribe`.
private struct FirstVersion: Decodable {
  let did: DID
  // swift-format-ignore: AlwaysUseLowerCamelCase
  let time_us: Int64
  let kind: String
  /// The number of the event; hosts of the first version only have none.
  let cursor: Int64?
  let commit: Change?
  let identity: IdentityChange?
  let account: AccountChange?

  func frame(_ host: String) -> JetstreamFrame? {
    let kind: JetstreamEvent.Kind? =
      switch kind {
      case "commit": commit?.commit.map { .commit($0) }
      case "identity": identity.map { .identity($0.handle) }
      case "account": account.map { .account($0.state) }
      default: nil
      }
    let place = StreamCursor(host: host, sequence: cursor, at: Instant(microsecondsSinceEpoch: time_us))
    return kind.map { .event(JetstreamEvent($0, of: did, cursor: place)) }
  }
}

/// A message of `subscribeEvents`.
private struct SecondVersion: Decodable {
  private struct Payload: Decodable {
    let type: String
    let seq: Int64?
    let did: DID?
    let time: Datetime?
    let commit: Change?
    let identity: IdentityChange?
    let account: AccountChange?
    let name: String?

    private enum CodingKeys: String, CodingKey {
      case type = "$type"
      case seq, did, time, identity, account, name
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      type = try container.decode(String.self, forKey: .type)
      seq = try container.decodeIfPresent(Int64.self, forKey: .seq)
      did = try container.decodeIfPresent(DID.self, forKey: .did)
      time = try container.decodeIfPresent(Datetime.self, forKey: .time)
      name = try container.decodeIfPresent(String.self, forKey: .name)
      commit = type.hasSuffix("#commit") ? try Change(from: decoder) : nil
      identity = try container.decodeIfPresent(IdentityChange.self, forKey: .identity)
      account = try container.decodeIfPresent(AccountChange.self, forKey: .account)
    }

    func frame(_ host: String) -> JetstreamFrame? {
      let prefix = "network.bsky.jetstream.subscribeEvents#"
      guard type.hasPrefix(prefix) else { return nil }
      if type == prefix + "info" { return name.map { .info(name: $0) } }
      let kind: JetstreamEvent.Kind? =
        switch type.dropFirst(prefix.count) {
        case "commit": commit?.commit.map { .commit($0) }
        case "identity": .identity(identity?.handle)
        case "account": account.map { .account($0.state) }
        case "sync": .sync
        default: nil
        }
      guard let kind, let seq, let did, let time else { return nil }
      return .event(
        JetstreamEvent(kind, of: did, cursor: StreamCursor(host: host, sequence: seq, at: time.instant)))
    }
  }

  private let type: String
  private let payload: Payload?
  private let error: String?
  private let message: String?

  private enum CodingKeys: String, CodingKey {
    case type = "$type"
    case payload, error, message
  }

  func frame(_ host: String) -> JetstreamFrame? {
    switch type {
    case "message": payload?.frame(host)
    case "error": .error(name: error ?? "", message: message ?? "")
    default: nil
    }
  }
}
