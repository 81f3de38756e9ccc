// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient

extension JobMachine {
  /// What to do about a server that did not do what was sent, or did not answer what was asked.
  mutating func failed(_ error: RepositoryError, whileSending: Bool, at now: Int64) -> Action {
    switch error.code {
    case .notAuthorized: stop(JobStop(.notAuthorized, error.detail))
    case .rateLimited: limited(error, at: now)
    case .refused: whileSending ? refused(error.detail) : refusedToTell(error.detail)
    case .taken: taken(error.detail)
    case .partial: partlyThere()
    case .tooLarge where whileSending: tooLarge(error)
    case .unavailable: rest(troubled(error.detail, at: now))
    default: whileSending ? doubted(error.detail, at: now) : troubled(error.detail, at: now)
    }
  }

  /// A record that is there already is refused too, by some servers; so is one that is to go and has gone (table of
  /// PDSes). Before a step is given up, and before a commit is cut that was sent before, the repository has the
  /// last word.
  private mutating func refused(_ reason: String) -> Action {
    guard let last = queue.indices.last else { return proceed() }
    let isAsked = queue[last].wasInDoubt || queue[last].items.count == 1
    guard isAsked, !queue[last].isCall else { return isolate(reason) }
    queue[last].question = .lastWord(refusal: reason)
    return proceed()
  }

  /// One record cannot be made under its key: its step fails, once it is found, and the others go on.
  private mutating func taken(_ reason: String) -> Action {
    guard let batch = queue.last, batch.items.count > 1 else { return fail(reason) }
    return batch.wasInDoubt ? askByHalves(batch) : cut(into: batch.halves)
  }

  /// Some of the items went in an earlier commit that came late: they are done, and the others are found.
  ///
  /// A step goes in one commit: what is missing of a single one, somebody has removed since, unless it was refused
  /// and never in doubt.
  private mutating func partlyThere() -> Action {
    guard let batch = queue.last else { return proceed() }
    return batch.items.count > 1 ? askByHalves(batch) : settled(batch.wasInDoubt)
  }

  /// The repository says which half it is: sending is no way to ask, for some servers overwrite (table of PDSes).
  private mutating func askByHalves(_ batch: JobBatch) -> Action {
    var halves = batch.halves
    for index in halves.indices {
      halves[index].question = .outcome
      halves[index].number = takeNumber()
    }
    guard isGivingUp else { return cut(into: halves) }
    // What is not sent again stays in doubt until it is known; the points of the whole go with the first half.
    halves[0].number = batch.number
    return replaceLast(with: halves)
  }

  /// Who does not tell whether a commit has happened leaves it in doubt; one that was refused and never in doubt
  /// has not happened.
  private mutating func refusedToTell(_ reason: String) -> Action {
    guard let last = queue.indices.last, !queue[last].wasInDoubt,
      case .lastWord(let refusal) = queue[last].question
    else { return stop(JobStop(.refused, reason)) }
    queue[last].question = nil
    return isolate(refusal)
  }

  private mutating func tooLarge(_ error: RepositoryError) -> Action {
    guard let batch = queue.last, batch.items.count > 1, !batch.wasInDoubt else {
      return refused(error.detail)
    }
    return shrink(to: error.mostWrites)
  }

  private mutating func limited(_ error: RepositoryError, at now: Int64) -> Action {
    limits += 1
    // A server that asks for no wait, again and again, gets one all the same.
    let wait = max(error.retryAfter ?? .seconds(60), Self.patience(after: limits))
    let until = now + wait.inMilliseconds * 1_000
    if stopsWhenShort { return stop(JobStop(.rateLimited, error.detail, until: until)) }
    return rest(.wait(until: until, .rateLimit))
  }

  private mutating func doubted(_ reason: String, at now: Int64) -> Action {
    if let last = queue.indices.last {
      queue[last].wasInDoubt = true
      queue[last].doubts += 1
      queue[last].question = queue[last].isCall ? nil : .outcome
    }
    return troubled(reason, at: now)
  }

  private mutating func troubled(_ reason: String, at now: Int64) -> Action {
    troubles += 1
    guard troubles <= Self.mostTroubles else { return stop(JobStop(.unavailable, reason)) }
    return .wait(until: now + Self.patience(after: troubles).inMilliseconds * 1_000, .trouble(reason))
  }

  /// Waits, or ends. What certainly was not written does not stand in the journal as in doubt meanwhile.
  private mutating func rest(_ wait: Action) -> Action {
    guard case .wait = wait, let last = queue.indices.last, queue[last].isBegun, !queue[last].wasInDoubt,
      queue[last].question == nil
    else { return wait }
    let outcome = outcome(of: queue[last], .pending, isPaid: false)
    queue[last].isBegun = false
    queue[last].number = nil
    waitAfterRecord = wait
    return .record(outcome)
  }

  /// A second after the first failure in a row, twice as long after each further one, a minute at most.
  private static func patience(after failures: Int) -> Duration {
    .seconds(min(60, 1 << min(failures - 1, 6)))
  }
}
