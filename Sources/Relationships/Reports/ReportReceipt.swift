// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What a moderation service has written down.
public struct ReportReceipt: Sendable, Hashable {
  /// The service's number of the report.
  public let id: Int
  /// In whose name.
  public let reportedBy: DID
  /// When, by the service's clock.
  public let createdAt: Datetime
}
