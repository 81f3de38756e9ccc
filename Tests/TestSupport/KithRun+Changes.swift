// SPDX-License-Identifier: Apache-2.0

extension KithRun {
  /// A row of a command that changes something, or of the job that does.
  package struct Change: Decodable {
    /// A record that is written, or a call, with its subject.
    package struct Write: Decodable {
      package let action: String
      package let uri: String
    }

    package let verb: String
    package let input: String
    package let subject: String?
    package let state: String
    package let writes: [Write]
    package let notes: [String]
    package let job: Int?
    package let error: String?
  }

  /// The rows of a change, from an NDJSON output.
  package func changes() throws -> [Change] { try rows(Change.self) }
}
