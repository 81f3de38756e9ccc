// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
public import Relationships

/// What somebody wants to report, as people name it: an account, or one record of it.
///
/// An account is named as everywhere (``ActorInput``); a record by its AT-URI or the URL of its page. The page of a
/// post names the post, and not the account that wrote it.
public struct ReportInput: Sendable, Hashable {
  /// Whose account or record it is.
  public let owner: ATIdentifier
  /// The record; nil where the account is meant.
  public let record: Record?

  /// A record of the account.
  public struct Record: Sendable, Hashable {
    /// The kind of record.
    public let collection: NSID
    /// Its name within the collection.
    public let rkey: RecordKey
  }

  /// Reads what a person typed or pasted.
  ///
  /// - Throws: ``InputError`` for what names neither.
  public init(parsing text: some StringProtocol) throws(InputError) {
    let trimmed = ActorInput.trim(text)
    owner = try ActorInput(parsing: trimmed).identifier
    let parts: [Substring]
    if trimmed.hasPrefix("at://") {
      parts = Array(trimmed.dropFirst("at://".count).split(separator: "/").dropFirst())
    } else if trimmed.hasPrefix("https://") || trimmed.hasPrefix("http://") {
      parts = try Self.record(onPage: ActorInput.path(ofURL: trimmed), trimmed)
    } else {
      parts = []
    }
    guard !parts.isEmpty else {
      record = nil
      return
    }
    guard parts.count == 2 else { throw Self.fault(trimmed, "it names no single record") }
    do throws(SyntaxError) {
      record = Record(
        collection: try NSID(parsing: parts[0]), rkey: try RecordKey(parsing: parts[1]))
    } catch {
      throw Self.fault(trimmed, error.reason)
    }
  }

  /// The collection and key of what stands on a page of the app; nothing for an account's own page.
  private static func record(
    onPage segments: [Substring], _ text: Substring
  ) throws(InputError) -> [Substring] {
    let kinds = [
      "post": "app.bsky.feed.post", "lists": "app.bsky.graph.list", "feed": "app.bsky.feed.generator",
    ]
    if segments.count <= 2 { return [] }
    guard segments.count == 4, let kind = kinds[String(segments[2])] else {
      throw fault(text, "the page is none of an account, a post, a list or a feed")
    }
    return [Substring(kind), segments[3]]
  }

  private static func fault(_ text: Substring, _ reason: String) -> InputError {
    InputError(
      text: String(text), naming: "account or record", reason: "\(reason); an at://DID/COLLECTION/KEY would")
  }
}
