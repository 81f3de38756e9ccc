// SPDX-License-Identifier: Apache-2.0

public import KithWriting

extension OutputValue {
  /// A job's number.
  public static func job(_ job: JobID) -> OutputValue { .number(job.number) }
}
