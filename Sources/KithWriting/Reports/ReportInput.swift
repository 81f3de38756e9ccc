// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// The subject of a report as a person enters it: an account, or one of its records.
///
/// An account is named as everywhere (`ActorInput`); a record by its AT-URI or the URL of its page. The URL
/// of a post means the post, not its author.
public struct ReportInput: Sendable, Hashable {
  /// The account, or the owner of the record.
  public let owner: ATIdentifier
  /// The record; nil if the account is meant.
  public let record: Record?

  /// A record of the account.
  public struct Record: Sendable, Hashable {
    /// The kind of record.
    public let collection: NSID
    /// Its key within the collection.
    public let rkey: RecordKey
  }

  /// Parses what a person typed or pasted.
  ///
  /// - Throws: `InputError` if it is neither an account nor a record.
  public init(parsing text: some StringProtocol) throws(InputError) {
    let trimmed = ActorInput.pasted(text)
    owner = try ActorInput(parsing: trimmed).identifier
    let parts: [Substring]
    if trimmed.hasPrefix("at://") {
      parts = Array(trimmed.dropFirst("at://".count).split(separator: "/").dropFirst())
    } else if let url = ActorInput.url(trimmed) {
      parts = try Self.record(onPage: ActorInput.path(ofURL: url), trimmed)
    } else {
      parts = []
    }
    guard !parts.isEmpty else {
      record = nil
      return
    }
    guard parts.count == 2 else { throw Self.fault(trimmed, "it does not name a single record") }
    do throws(SyntaxError) {
      record = Record(
        collection: try NSID(parsing: parts[0]), rkey: try RecordKey(parsing: parts[1]))
    } catch {
      throw Self.fault(trimmed, error.reason)
    }
  }

  /// Returns the collection and key for a page of the app; empty for the page of an account.
  private static func record(
    onPage segments: [Substring], _ text: Substring
  ) throws(InputError) -> [Substring] {
    let kinds = [
      "post": "app.bsky.feed.post", "lists": "app.bsky.graph.list", "feed": "app.bsky.feed.generator",
    ]
    if segments.count <= 2 { return [] }
    guard segments.count == 4, let kind = kinds[String(segments[2])] else {
      throw fault(text, "not the page of an account, a post, a list or a feed")
    }
    return [Substring(kind), segments[3]]
  }

  private static func fault(_ text: Substring, _ reason: String) -> InputError {
    InputError(
      text: String(text), naming: "account or record", reason: "\(reason); use at://DID/COLLECTION/KEY")
  }
}
