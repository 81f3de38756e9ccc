// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An event of an ``EventStream``.
struct StreamEvent: Sendable {
  enum Kind: Sendable {
    /// - Parameter isResync: whether it repeats a record after a `sync`.
    case commit(RecordChange, rev: TID, isResync: Bool)
    case identity(Handle)
    case account(SandboxAccount.Status)
    /// The repository continues at another revision, and what happened in between is not in the stream.
    case sync(rev: TID)
  }

  /// Its number, from 1 on.
  let seq: Int64
  /// When the stream received it; later than that of every event before it.
  let moment: Instant
  let did: DID
  let kind: Kind

  /// The name of its kind.
  var name: String {
    switch kind {
    case .commit: "commit"
    case .identity: "identity"
    case .account: "account"
    case .sync: "sync"
    }
  }
}

// MARK: - Frames

extension StreamEvent {
  /// The frame of the older wire; nil for what that one does not carry.
  ///
  /// - Parameter hasCursor: whether servers tell the number.
  func olderFrame(hasCursor: Bool) -> String? {
    let content: String
    switch kind {
    case .sync, .commit(_, _, isResync: true): return nil
    case .commit(let change, let rev, _): content = "{\(Self.fields(of: change, rev))}"
    case .identity, .account: content = upstream
    }
    let cursor = hasCursor ? #""cursor":\#(seq),"# : ""
    return
      #"{"did":"\#(did)","time_us":\#(moment.microsecondsSinceEpoch),\#(cursor)"kind":"\#(name)","\#(name)":\#(content)}"#
  }

  /// The frame of `subscribeEvents`.
  var frame: String {
    let content: String
    if case .commit(let change, let rev, _) = kind {
      content = Self.fields(of: change, rev)
    } else {
      content = #""\#(name)":\#(upstream)"#
    }
    return Self.envelope(
      name, #""seq":\#(seq),"did":"\#(did)","time":"\#(moment.inMicrosecondsText)",\#(content)"#)
  }

  /// A notice that is not an event.
  static func notice(_ name: String, _ message: String) -> String {
    envelope("info", #""name":"\#(name)","message":"\#(message)""#)
  }

  /// The last frame of a connection that the server gives up.
  static func error(_ name: String, _ message: String) -> String {
    #"{"$type":"error","error":"\#(name)","message":"\#(message)"}"#
  }

  private static func envelope(_ name: String, _ fields: String) -> String {
    #"{"$type":"message","payload":{"$type":"\#(StreamServer.method)#\#(name)",\#(fields)}}"#
  }

  private static func fields(of change: RecordChange, _ rev: TID) -> String {
    let operation = change.written == nil ? "delete" : change.former == nil ? "create" : "update"
    let place =
      #""rev":"\#(rev)","operation":"\#(operation)","collection":"\#(change.collection)","rkey":"\#(change.key)""#
    guard let written = change.written else { return place }
    return #"\#(place),"record":\#(written.value.jsonText),"cid":"\#(written.cid)""#
  }

  /// The event of the relay that this one repeats; its number is not that of this stream.
  private var upstream: String {
    let source = #""did":"\#(did)","seq":\#(30_000_000_000 + seq),"time":"\#(Datetime(at: moment))""#
    switch kind {
    case .commit: return "{}"
    case .identity(let handle): return #"{\#(source),"handle":"\#(handle)"}"#
    case .account(let status):
      return
        #"{"active":\#(status == .active),\#(source)\#(status.streamName.map { #","status":"\#($0)""# } ?? "")}"#
    case .sync(let rev):
      // A CAR without blocks: the sandbox has no trees.
      let root = DataValue.link(Identities.cid(seed: rev.bits))
      let header = (["roots": .array([root]), "version": 1] as DataValue).dagCBOR ?? []
      let blocks = [UInt8(truncatingIfNeeded: header.count)] + header
      return #"{\#(source),"rev":"\#(rev)","blocks":\#(DataValue.bytes(blocks).jsonText)}"#
    }
  }
}

extension DataValue {
  /// As JSON. Every value that the sandbox stores can be written.
  fileprivate var jsonText: String {
    (try? JSONCoding.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}

extension Instant {
  /// A date with exactly six decimals.
  var inMicrosecondsText: String {
    let digits = String(microsecondsSinceEpoch - (microsecondsSinceEpoch / 1_000) * 1_000)
    let zeros = String(repeating: "0", count: 3 - digits.count)
    return "\(Datetime(at: self).description.dropLast())\(zeros)\(digits)Z"
  }
}

extension SandboxAccount.Status {
  /// The status in an event; nil for an active account.
  fileprivate var streamName: String? {
    switch self {
    case .active: nil
    case .deactivated: "deactivated"
    case .takenDown: "takendown"
    case .suspended: "suspended"
    case .deleted: "deleted"
    }
  }
}
