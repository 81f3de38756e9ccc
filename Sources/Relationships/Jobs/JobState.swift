// SPDX-License-Identifier: Apache-2.0

/// How far a job has come.
public enum JobState: String, Sendable, Hashable, CaseIterable {
  /// Its items are being written down and nothing is sent; where nobody does so any more, it never began.
  case preparing
  /// All is written down; it runs as soon as somebody runs it.
  case waiting
  /// Somebody runs it, or did so and died: then it can be resumed at once.
  case running
  /// Held back until somebody resumes it.
  case paused
  /// Nothing is left to do.
  case done
  /// What was left was given up.
  case cancelled

  /// Whether nothing more is sent.
  public var isEnded: Bool { self == .done || self == .cancelled }
}
