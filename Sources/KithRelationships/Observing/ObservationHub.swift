// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// What the observed pairs of a service show: one subject for each pair, whichever account looks at it, and however
/// many do.
///
/// A service tells it of answers and changes while it holds the lock of its cache, so that all arrive in order. What
/// each method returns is to be run without that lock: it wakes subscribers and cancels requests.
final class ObservationHub: Sendable {
  typealias Afterwards = [@Sendable () -> Void]

  /// What is asked about a pair.
  struct Question: Sendable {
    let actor: DID
    let target: DID
    /// Whether a request also finds out whether the accounts exist, so that an answer alone is not enough.
    let isVerified: Bool
    /// The run that observes; what makes another request necessary may be another one.
    let run = CallMeter.ofRun
    /// Requests the relationship unless a fresh answer is cached.
    let ask: @Sendable () async throws -> RelationshipInfo

    var pair: PairKey { PairKey(actor, target) }
  }

  fileprivate struct Subject {
    /// That of the first subscriber; what is known is seen from its side.
    let question: Question
    var info: RelationshipInfo?
    var isFresh: Bool
    /// Why the last request failed.
    var failure: RelationshipError?
    /// Why the last change was rolled back.
    var rollback: ChangeFailure?
    var observers: [Int: RelationshipObserver] = [:]
    var request: (number: Int, task: Task<Void, Never>)?
  }

  private struct State {
    var subjects: [PairKey: Subject] = [:]
    /// Of subscribers and requests.
    var numbers = 0
  }

  private let overlay: OptimisticOverlay
  private let state = PosixMutex(State())

  init(overlay: OptimisticOverlay) { self.overlay = overlay }

  /// Number of observed pairs.
  var count: Int { state.withLock(\.subjects.count) }

  /// The observed pairs of an account.
  func pairs(of account: DID) -> [PairKey] {
    state.withLock { $0.subjects.keys.filter { $0.low == account || $0.high == account } }
  }

  /// What is shown of a pair; nil if it is not observed, or nothing is known.
  func shown(_ pair: PairKey) -> RelationshipInfo? { state.withLock { $0.subjects[pair]?.info } }

  // MARK: Subscribers

  /// Adds a subscriber, and requests the pair unless it is fresh.
  ///
  /// - Parameter known: what a cache knows, and whether that needs no request; nil if the cache is off and cannot say.
  func join(
    _ question: Question, knowing known: (info: RelationshipInfo?, isFresh: Bool?)
  ) -> (ObservationSubscription, Afterwards) {
    let pair = question.pair
    let observer = RelationshipObserver(question.actor)
    let (number, afterwards) = state.withLock { state -> (Int, Afterwards) in
      state.numbers += 1
      let number = state.numbers
      let afterwards = edit(
        pair, in: &state, orAdd: Subject(question: question, info: known.info, isFresh: false)
      ) {
        subject, state in
        subject.observers[number] = observer
        if let isFresh = known.isFresh { subject.isFresh = isFresh }
        if !subject.isFresh, subject.request == nil { request(&subject, &state) }
      }
      return (number, afterwards)
    }
    return (ObservationSubscription(observer) { [weak self] in self?.leave(number, pair) }, afterwards)
  }

  private func leave(_ number: Int, _ pair: PairKey) {
    let task = state.withLock { state -> Task<Void, Never>? in
      guard state.subjects[pair]?.observers.removeValue(forKey: number) != nil,
        state.subjects[pair]?.observers.isEmpty == true
      else { return nil }
      return state.subjects.removeValue(forKey: pair)?.request?.task
    }
    task?.cancel()
  }

  // MARK: Requests

  private func request(_ subject: inout Subject, _ state: inout State) {
    state.numbers += 1
    let (number, question) = (state.numbers, subject.question)
    subject.request = (
      number,
      CallMeter.counting(for: question.run) {
        Task { [weak self] in
          do {
            let info = try await question.ask()
            self?.end(number, question.pair) { subject, overlay in
              // An answer was noticed when it arrived; this one is from the cache.
              if !subject.isFresh { subject.learn(overlay.overlaid(info)) }
            }
          } catch {
            let failure = RelationshipError.wrapping(error)
            self?.end(number, question.pair) { subject, _ in if !subject.isFresh { subject.failure = failure }
            }
          }
        }
      }
    )
  }

  /// Ends a request, unless another one has replaced it.
  private func end(_ number: Int, _ pair: PairKey, _ change: (inout Subject, OptimisticOverlay) -> Void) {
    let afterwards = state.withLock { state in
      guard state.subjects[pair]?.request?.number == number else { return Afterwards() }
      return edit(pair, in: &state) { subject, _ in
        subject.request = nil
        change(&subject, overlay)
      }
    }
    for action in afterwards { action() }
  }

  // MARK: Events

  /// Shows answers about an account and others.
  ///
  /// - Parameter invalidated: pairs of which the answer may be too old.
  func learned(
    _ findings: [RelationshipFinding], in pairs: [PairKey], except invalidated: Set<PairKey>
  ) -> Afterwards {
    state.withLock { state in
      if state.subjects.isEmpty { return [] }
      return zip(findings, pairs).reduce(into: []) { afterwards, answer in
        guard case .known(let info) = answer.0, info.pair == answer.1, !invalidated.contains(answer.1) else {
          return
        }
        afterwards += edit(answer.1, in: &state) { subject, _ in
          if subject.question.isVerified, subject.request != nil { return subject.show(info) }
          subject.learn(info)
        }
      }
    }
  }

  /// Shows a change by an account, whether its facts differ or only how well they are known.
  ///
  /// - Parameters:
  ///   - cached: what the cache shows after the change; nil if it shows the same as before.
  ///   - failure: why a change was rolled back.
  ///   - edit: makes the change.
  func moved(
    _ actor: DID, _ target: DID, cached: RelationshipInfo?, failure: ChangeFailure?,
    _ edit: (RelationshipInfo) -> RelationshipInfo
  ) -> Afterwards {
    state.withLock { state in
      self.edit(PairKey(actor, target), in: &state) { subject, _ in
        if let info = subject.info?.seen(by: actor) ?? cached { subject.show(edit(info)) }
        subject.rollback = failure
      }
    }
  }

  /// Shows what a stream told of a pair.
  ///
  /// - Parameter edit: makes the change.
  func told(_ pair: PairKey, _ edit: (RelationshipInfo) -> RelationshipInfo) -> Afterwards {
    state.withLock { state in
      self.edit(pair, in: &state) { subject, _ in if let info = subject.info { subject.show(edit(info)) } }
    }
  }

  /// Shows what an earlier process knew of pairs of which nothing is known.
  func restored(_ relationships: [RelationshipInfo]) -> Afterwards {
    state.withLock { state in
      if state.subjects.isEmpty { return [] }
      return relationships.reduce(into: []) { afterwards, info in
        afterwards += edit(info.pair, in: &state) { subject, _ in
          if subject.info == nil { subject.show(overlay.overlaid(info)) }
        }
      }
    }
  }

  /// Requests a pair again.
  func expired(_ pair: PairKey) -> Afterwards { state.withLock { requestAgain(pair, &$0) } }

  /// Requests all pairs again.
  ///
  /// - Parameter isForgotten: whether nothing is shown until the answers arrive.
  func expiredAll(isForgotten: Bool = false) -> Afterwards {
    state.withLock { state in
      state.subjects.keys.flatMap { requestAgain($0, isForgotten: isForgotten, &state) }
    }
  }

  private func requestAgain(
    _ pair: PairKey, isForgotten: Bool = false, _ state: inout State
  ) -> Afterwards {
    var former: Task<Void, Never>?
    let shown = edit(pair, in: &state) { subject, state in
      if subject.question.actor == subject.question.target { return }
      subject.isFresh = false
      if isForgotten { (subject.info, subject.failure, subject.rollback) = (nil, nil, nil) }
      former = subject.request?.task
      request(&subject, &state)
    }
    guard let former else { return shown }
    return shown + [{ former.cancel() }]
  }

  /// Changes a subject, and shows it to its subscribers.
  ///
  /// - Parameter new: the subject to add if there is none.
  private func edit(
    _ pair: PairKey, in state: inout State, orAdd new: Subject? = nil,
    _ change: (inout Subject, inout State) -> Void
  ) -> Afterwards {
    guard var subject = state.subjects[pair] ?? new else { return [] }
    change(&subject, &state)
    state.subjects[pair] = subject
    let status = status(of: subject)
    return subject.observers.values.compactMap { observer in
      observer.show(ObservedRelationship(subject.info?.seen(by: observer.actor), status))
    }
  }

  private func status(of subject: Subject) -> ObservedRelationship.State {
    let (one, other) = (subject.question.actor, subject.question.target)
    if overlay.isPending(of: one, about: other) || overlay.isPending(of: other, about: one) {
      return .pending
    }
    if let rollback = subject.rollback { return .rolledBack(rollback) }
    if overlay.expects(of: one, about: other) || overlay.expects(of: other, about: one) { return .accepted }
    if let failure = subject.failure { return .failed(failure) }
    return subject.isFresh ? .fresh : .lastKnown
  }
}

extension ObservationHub.Subject {
  /// Takes a new answer.
  fileprivate mutating func learn(_ answer: RelationshipInfo) {
    show(answer)
    (isFresh, failure, rollback) = (true, nil, nil)
  }

  /// Shows other facts; a mute stays known if the other account asked, which cannot know it.
  fileprivate mutating func show(_ other: RelationshipInfo) {
    guard other.actor != question.actor else {
      info = other
      return
    }
    info = other.swapped.muted(info?.muted, fault: info?.mutesFault)
  }
}

extension RelationshipInfo {
  var pair: PairKey { PairKey(actor, target) }
}
