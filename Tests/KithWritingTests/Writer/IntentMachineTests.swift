// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct IntentMachineTests {
  private static let other = Accounts.did(1)
  private let follow = WantedState(.follow(other))
  private let unfollow = WantedState(.unfollow(other))
  private let block = WantedState(.block(other))
  private let elsewhere = WantedState(.follow(other, in: .tangled))
  private let follows = SubjectFacts().with(.follow(other))
  private let followsNot = SubjectFacts().with(.unfollow(other))

  /// The machine, and what is known as its owner keeps it.
  private struct Subject {
    var machine = IntentMachine()
    var known = SubjectFacts()

    var isIdle: Bool { machine.isIdle }

    /// Whether something holds once everything is done.
    func expects(_ wanted: WantedState) -> Bool {
      wanted.isMet(by: known, and: machine.desired ?? WantedState()) == true
    }

    mutating func request(_ desired: WantedState, by waiter: Int) -> [IntentMachine.Action] {
      machine.request(desired, by: waiter, knowing: known)
    }

    mutating func learned(_ facts: SubjectFacts) -> [IntentMachine.Action] {
      known.merge(facts)
      return machine.learned(knowing: known)
    }

    mutating func couldNotLearn() -> [IntentMachine.Action] { machine.couldNotLearn() }

    mutating func changed() -> [IntentMachine.Action] {
      if let desired = machine.changing { known = known.with(desired) }
      let endings = machine.changed(knowing: known)
      return endings + machine.next(knowing: known)
    }

    mutating func failed(isInDoubt: Bool) -> [IntentMachine.Action] {
      if isInDoubt { known = SubjectFacts() }
      let endings = machine.failed()
      return endings + machine.next(knowing: known)
    }
  }

  private func machine(knowing facts: SubjectFacts) -> Subject { Subject(known: facts) }

  @Test func loadsBeforeItChanges() {
    var machine = Subject()
    #expect(machine.request(follow, by: 1) == [.learn(follow)])
    #expect(machine.learned(followsNot) == [.change(follow)])
    #expect(machine.changed() == [.finish(1, .done)])
    #expect(machine.isIdle)
    #expect(machine.known == follows)
  }

  @Test func doesNothingForWhatHolds() {
    var machine = Subject()
    _ = machine.request(follow, by: 1)
    #expect(machine.learned(follows) == [.finish(1, .held)])
    #expect(machine.request(follow, by: 2) == [.finish(2, .held)])
    #expect(machine.isIdle)
  }

  /// Fast taps that cancel out: one write.
  @Test func writesOnceForFollowUnfollowFollow() {
    var machine = machine(knowing: followsNot)
    #expect(machine.request(follow, by: 1) == [.change(follow)])
    #expect(machine.request(unfollow, by: 2).isEmpty)
    #expect(machine.expects(unfollow))
    #expect(machine.request(follow, by: 3).isEmpty)
    #expect(machine.expects(follow))
    #expect(machine.changed() == [.finish(1, .done), .finish(2, .superseded), .finish(3, .held)])
    #expect(machine.isIdle)
  }

  @Test func undoesAChangeInFlightIfTheLastIntentSaysSo() {
    var machine = machine(knowing: followsNot)
    _ = machine.request(follow, by: 1)
    _ = machine.request(unfollow, by: 2)
    #expect(machine.changed() == [.finish(1, .done), .change(unfollow)])
    #expect(machine.changed() == [.finish(2, .done)])
  }

  /// The change establishes what holds, but not by which records; the next change needs those.
  @Test(arguments: [true, false]) func loadsAgainWhatWasForgottenDuringAChange(isDone: Bool) {
    let other = Accounts.did(1)
    let planner = ChangePlanner(
      account: Accounts.did(0), keys: TIDClock(clockID: 1) { 0 }, time: ManualClock().timeSource())
    var state = IntentState()
    _ = state.request(.follow(other), by: 1)
    let nothing = SubjectFacts(edges: [.follow: []])
    #expect(state.learned([nothing], at: .zero, nil, wasResolved: false) == [.change(follow)])
    let plan = state.plan([.follow(other)], by: planner)
    _ = state.request(.unfollow(other), by: 2)
    state.forget()
    let ending: IntentMachine.Ending = isDone ? .done : .failed
    let failure = ChangeFailure.failed(RepositoryError(.refused, detail: ""))
    let actions = isDone ? state.changed(by: plan) : state.failed(plan, because: failure)
    #expect(actions == [.finish(1, ending), .learn(unfollow)])
    let record = OwnRecord(rkey: RecordKey(tid: TID(at: 0, clockID: 0)), value: [:])
    #expect(
      state.learned([SubjectFacts(edges: [.follow: [record]])], at: .zero, nil, wasResolved: false)
        == [.change(unfollow)])
    #expect(state.expects(.follow) == false)
  }

  @Test func intentsThatCancelOutWhileLoadingCostNoWrite() {
    var machine = Subject()
    _ = machine.request(follow, by: 1)
    #expect(machine.request(unfollow, by: 2).isEmpty)
    #expect(machine.learned(followsNot) == [.finish(1, .superseded), .finish(2, .held)])
  }

  @Test func loadsMoreIfAnIntentGrowsMeanwhile() {
    var machine = Subject()
    _ = machine.request(follow, by: 1)
    #expect(machine.request(block, by: 2).isEmpty)
    #expect(machine.learned(follows) == [.learn(block)])
    #expect(machine.learned(follows.with(.unblock(Self.other))) == [.change(block)])
    #expect(machine.changed() == [.finish(1, .superseded), .finish(2, .done)])
  }

  /// The mute state may be unavailable; then the call is made anyway, because it is idempotent.
  @Test func changesWhatCannotBeRead() {
    var machine = Subject()
    let mute = WantedState(.mute(Self.other, .everything))
    _ = machine.request(mute, by: 1)
    #expect(machine.learned(SubjectFacts()) == [.change(mute)])
    #expect(machine.changed() == [.finish(1, .done)])
  }

  @Test func failsWaitersOfTheChangeAndContinuesWithLaterIntents() {
    var machine = machine(knowing: follows.with(.unfollow(Self.other, in: .tangled)))
    #expect(machine.request(unfollow, by: 1) == [.change(unfollow)])
    _ = machine.request(follow, by: 2)
    // What was to be undone did not happen, so nothing is left to do.
    #expect(machine.failed(isInDoubt: false) == [.finish(1, .failed), .finish(2, .held)])
    #expect(machine.request(unfollow, by: 3) == [.change(unfollow)])
    _ = machine.request(elsewhere, by: 4)
    #expect(
      machine.failed(isInDoubt: false) == [.finish(3, .failed), .change(elsewhere)])
    #expect(machine.expects(follow) && machine.expects(elsewhere))
  }

  @Test func loadsAgainAfterADoubt() {
    var machine = machine(knowing: followsNot)
    _ = machine.request(follow, by: 1)
    _ = machine.request(unfollow, by: 2)
    #expect(machine.failed(isInDoubt: true) == [.finish(1, .failed), .learn(unfollow)])
    #expect(machine.learned(follows) == [.change(unfollow)])
    #expect(machine.changed() == [.finish(2, .done)])
  }

  @Test func failsAllWaitersIfLoadingFails() {
    var machine = Subject()
    _ = machine.request(follow, by: 1)
    _ = machine.request(unfollow, by: 2)
    #expect(machine.couldNotLearn() == [.finish(1, .failed), .finish(2, .failed)])
    #expect(machine.isIdle)
    #expect(machine.request(follow, by: 3) == [.learn(follow)])
  }

  // MARK: Random interleavings

  /// A server and a driver in a few lines, as a reference for the machine.
  private struct World {
    var machine = Subject()
    var server = SubjectFacts().with(.unfollow(IntentMachineTests.other)).with(
      .unblock(IntentMachineTests.other)
    )
    .with(.unmute(IntentMachineTests.other))
    var learning: WantedState?
    var changing: WantedState?
    var endings: [Int: IntentMachine.Ending] = [:]
    var requests: [(desired: WantedState, isFailed: Bool)] = []
    var changes = 0

    mutating func perform(_ actions: [IntentMachine.Action]) {
      for action in actions {
        switch action {
        case .learn(let desired):
          #expect(learning == nil && changing == nil)
          learning = desired
        case .change(let desired):
          #expect(learning == nil && changing == nil)
          #expect(desired.isMet(by: server) == false, "a write that changes nothing")
          changing = desired
        case .finish(let waiter, let ending):
          #expect(endings.updateValue(ending, forKey: waiter) == nil, "told twice")
          if ending == .failed { requests[waiter].isFailed = true }
          if ending == .done || ending == .held {
            #expect(requests[waiter].desired.isMet(by: server) == true)
          }
        }
      }
    }

    mutating func request(_ desired: WantedState) {
      requests.append((desired, false))
      perform(machine.request(desired, by: requests.count - 1))
    }

    mutating func learn(fails: Bool) {
      guard learning != nil else { return }
      learning = nil
      perform(fails ? machine.couldNotLearn() : machine.learned(server))
    }

    enum Fate: CaseIterable { case done, refused, doubtDone, doubtNot }

    mutating func change(_ fate: Fate) {
      guard let desired = changing else { return }
      changing = nil
      if fate == .done || fate == .doubtDone {
        server = server.with(desired)
        changes += 1
      }
      perform(fate == .done ? machine.changed() : machine.failed(isInDoubt: fate != .refused))
    }
  }

  private func randomIntent(_ generator: inout SeededGenerator) -> WantedState {
    let changes: [ChangeIntent] = [
      .follow(Accounts.did(1)), .unfollow(Accounts.did(1)), .block(Accounts.did(1)),
      .unblock(Accounts.did(1)),
      .mute(Accounts.did(1), .reposts), .unmute(Accounts.did(1)),
    ]
    return WantedState(changes[Int.random(in: 0..<changes.count, using: &generator)])
  }

  @Test(arguments: 0..<8)
  func endsInTheLastIntentWhateverTheInterleaving(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<250 {
      var world = World()
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0, 1: world.request(randomIntent(&generator))
        case 2: world.learn(fails: Int.random(in: 0..<8, using: &generator) == 0)
        default:
          let fates = World.Fate.allCases
          let fate = fates[Int.random(in: 0..<fates.count, using: &generator)]
          world.change(Bool.random(using: &generator) ? .done : fate)
        }
      }
      let beforeLast = world.requests.count
      let last = randomIntent(&generator)
      world.request(last)
      for _ in 0..<10 where !world.machine.isIdle {
        world.learn(fails: false)
        world.change(.done)
      }
      #expect(world.machine.isIdle)
      #expect(world.endings.count == world.requests.count)
      #expect(last.isMet(by: world.server) == true)
      #expect(world.endings[beforeLast] == .done || world.endings[beforeLast] == .held)
      #expect(world.server.merging(world.machine.known) == world.server)
      #expect(world.machine.machine.desired == nil)
    }
  }

  /// While one change is in flight, any number of intents leads to at most one more.
  @Test(arguments: 0..<4) func writesAtMostOnceMoreAfterTheChangeInFlight(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(100 + seed))
    for _ in 0..<200 {
      var world = World()
      world.request(Bool.random(using: &generator) ? follow : unfollow)
      world.learn(fails: false)
      let requests = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        Bool.random(using: &generator) ? follow : unfollow
      }
      let isUnderWay = world.changing != nil
      for desired in requests { world.request(desired) }
      while world.changing != nil { world.change(.done) }
      #expect(requests.last?.isMet(by: world.server) == true)
      #expect(world.changes <= (isUnderWay ? 2 : requests.count))
    }
  }
}

extension SubjectFacts {
  /// The facts once a change was made.
  fileprivate func with(_ change: ChangeIntent) -> SubjectFacts { with(WantedState(change)) }

  fileprivate func with(_ wanted: WantedState) -> SubjectFacts {
    var facts = self
    for (edge, isThere) in wanted.edges {
      let record = OwnRecord(rkey: RecordKey(tid: TID(at: 0, clockID: 0)), value: [:])
      facts.edges[edge.kind] = isThere ? [record] : []
    }
    if let call = wanted.call { facts.apply(call) }
    return facts
  }

  fileprivate func merging(_ other: SubjectFacts) -> SubjectFacts {
    var facts = self
    facts.merge(other)
    return facts
  }
}
