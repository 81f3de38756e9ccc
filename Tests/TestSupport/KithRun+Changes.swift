// SPDX-License-Identifier: Apache-2.0

extension KithRun {
  /// A row of a command that changes something, or of the job that does.
  public struct Change: Decodable {
    /// A record that is written, or a call, with its subject.
    public struct Write: Decodable {
      public let action: String
      public let uri: String
    }

    public let verb: String
    public let input: String
    public let subject: String?
    public let state: String
    public let writes: [Write]
    public let notes: [String]
    public let job: Int?
    public let error: String?
  }

  /// The rows of a change, from an NDJSON output.
  public func changes() throws -> [Change] { try rows(Change.self) }
}
