// SPDX-License-Identifier: Apache-2.0

/// What the daemon does besides answering questions. Values are added, but never change.
public enum DaemonTask: String, Sendable, CaseIterable {
  case stream, snapshots, jobs
}
