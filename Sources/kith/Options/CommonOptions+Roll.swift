// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

extension CommonOptions {
  /// Reads the accounts of a change, and reports invalid names, duplicates and incomplete listings.
  ///
  /// - Parameters:
  ///   - isExclusion: whether they are the accounts to leave alone; an empty file is then nothing to report.
  ///   - skipsInvalid: whether names that are not valid are left out, instead of failing all.
  ///   - needsDates: whether a filter depends on dates of records, so that all of these have to be readable.
  ///   - absence: the message if there are no accounts.
  /// - Throws: as ``ChangeTargets/init(reading:say:)``.
  func roll(
    of origins: [TargetStream.Origin], asExclusion isExclusion: Bool = false,
    skippingInvalid skipsInvalid: Bool = false, needingDates needsDates: Bool = false,
    orElse absence: Message = .noInput("accounts"),
    calling name: @escaping @Sendable (ActorListing) -> String? = { _ in nil }
  ) async throws -> ChangeTargets {
    let failure = PosixMutex<(any Error)?>(nil)
    let skipped = SkippedNames()
    var stream = TargetStream(origins: origins).telling { listing, coverage in
      tell(coverage, of: listing, named: name(listing))
      let isUndecided =
        coverage.undecided + coverage.unreadable > 0 || (needsDates && coverage.isPartial)
      if isUndecided, let fault = coverage.fault { failure.withLock { $0 = fault } }
    }
    if skipsInvalid { stream = stream.skipping(\.complaint, to: skipped) }
    let roll = try await ChangeTargets(reading: stream, say: StandardError.say)
    skipped.finish()
    // If a filter could not be evaluated for some accounts, nothing is changed.
    if let failure = failure.withLock(\.self) { throw failure }
    if quiet || isExclusion { return roll }
    if roll.repetitions > 0 { StandardError.say(.repetitions(roll.repetitions)) }
    if roll.questions.isEmpty { StandardError.say(absence) }
    return roll
  }
}
