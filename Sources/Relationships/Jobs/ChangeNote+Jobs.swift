// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension ChangeNote.Code {
  /// A job has something to do about the same subject.
  public static let openJob = Self(rawValue: "openJob")
  /// What holds is to end, by the job that made it.
  public static let endsBy = Self(rawValue: "endsBy")
  /// What holds already is not given an end.
  public static let keepsItsEnd = Self(rawValue: "keepsItsEnd")
}

extension ChangeRefusal.Code {
  /// A job is about to do the same.
  public static let awaited = Self(rawValue: "awaited")
}

extension ChangeNote {
  static func openJob(_ job: JobID) -> ChangeNote {
    ChangeNote(.openJob, "job \(job) still has something to do about it: kith jobs show \(job)")
  }

  static func endsBy(_ job: JobID, at end: Datetime) -> ChangeNote {
    ChangeNote(
      .endsBy, "job \(job) takes it back at \(end); to make it last, end it yourself and do it anew")
  }

  static let keepsItsEnd = ChangeNote(
    .keepsItsEnd, "it holds already and is not taken back: --for counts for what this run changes")
}

extension ChangeRefusal {
  static func awaited(_ job: JobID) -> ChangeRefusal {
    ChangeRefusal(
      .awaited,
      "job \(job) is to do the same: kith jobs resume \(job) goes on with it, kith jobs cancel \(job) gives it up"
    )
  }
}
