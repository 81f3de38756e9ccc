// SPDX-License-Identifier: Apache-2.0

package import KithWriting

extension OutputValue {
  /// A job's number.
  package static func job(_ job: JobID) -> OutputValue { .number(job.number) }
}
