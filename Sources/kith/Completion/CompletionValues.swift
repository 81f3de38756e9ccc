// SPDX-License-Identifier: Apache-2.0

/// What completion offers besides what help says. It is read from files of this machine before the parser asks.
struct CompletionValues: Sendable {
  /// A job, with what decides which commands take it.
  struct Job: Sendable {
    var number: String
    /// Whether nothing more is sent.
    var isEnded: Bool
    /// Whether it changed something that can be undone.
    var hasDone: Bool
    var hasFailed: Bool
    /// Whether it waits to be approved.
    var isProposed = false
  }

  /// The signed-in accounts: their handles, or the DID of one without a valid handle.
  var accounts: [String] = []
  var jobs: [Job] = []
  /// The names of the user's own lists, as they were last seen.
  var lists: [String] = []
  var segments: [String] = []
  var home: String?

  /// The values for the request that is answered now.
  @TaskLocal static var current = CompletionValues()
}
