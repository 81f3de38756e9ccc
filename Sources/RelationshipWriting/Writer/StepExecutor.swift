// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import Relationships

/// Carries out one step until its outcome is certain, as long as patience lasts.
///
/// A commit in doubt is asked for first, and repeated, under its own keys, only when it has not happened.
struct StepExecutor: Sendable {
  let repository: any Repository
  /// From the first attempt on; a wait that would end later is not begun.
  let patience: Duration
  let time: TimeSource

  private static let firstPause = Duration.milliseconds(100)
  private static let longestPause = Duration.seconds(8)

  /// - Throws: ``RepositoryError``, `inDoubt` when it is still not known whether it has happened.
  func carryOut(_ step: ChangeStep) async throws(RepositoryError) {
    let started = time.now
    var pauses = 0
    // To be asked for before it is tried again.
    var isInDoubt = false
    // What has not happened when it is asked for may still be on its way.
    var wasInDoubt = false
    while true {
      do {
        if isInDoubt, case .write(let writes) = step.action {
          if try await repository.settle(writes) { return }
          isInDoubt = false
        }
        try await attempt(step)
        return
      } catch {
        let error = error as? RepositoryError ?? RepositoryError(changing: error)
        // A step goes in one commit: what is missing of it somebody has removed since.
        if isInDoubt, error.code == .partial { return }
        if error.code == .inDoubt { (isInDoubt, wasInDoubt) = (true, true) }
        let pause = max(
          min(Self.longestPause, Self.firstPause * (1 << min(pauses, 10))), error.retryAfter ?? .zero)
        pauses += 1
        guard error.mayPass(whileInDoubt: isInDoubt), time.now - started + pause <= patience else {
          throw wasInDoubt ? error.leavingDoubt : error
        }
        do { try await time.sleep(for: pause) } catch {
          throw wasInDoubt ? RepositoryError(changing: error).leavingDoubt : RepositoryError(asking: error)
        }
      }
    }
  }

  private func attempt(_ step: ChangeStep) async throws {
    switch step.action {
    case .write(let writes): try await repository.commit(writes)
    case .call(let call, former: _): try await repository.call(call)
    }
  }
}

extension RepositoryError {
  /// Whether trying again may help. While a commit is in doubt, a refusal to say what there is decides nothing.
  fileprivate func mayPass(whileInDoubt isInDoubt: Bool) -> Bool {
    switch code {
    case .inDoubt, .unavailable, .rateLimited: true
    case .invalidResponse: isInDoubt
    default: false
    }
  }

  /// The same failure, of something that may have happened or still may: who refuses to tell, or to take it a second
  /// time, decides nothing. Only a key that somebody else has taken does.
  fileprivate var leavingDoubt: RepositoryError {
    code == .taken
      ? self : RepositoryError(.inDoubt, detail: detail, retryAfter: retryAfter, underlying: underlying)
  }
}
