// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct ChangeSubscriptionTests {
  private func change(_ number: Int) -> RelationshipChange {
    let target = Accounts.did(number)
    return .changed(
      from: .made(actor: Accounts.did(0), target: target, follows: false),
      to: .made(actor: Accounts.did(0), target: target, follows: true))
  }

  @Test func deliversChangesInOrder() async {
    let mailbox = ChangeSubscription()
    for number in 0..<3 { mailbox.post(change(number))?() }
    for number in 0..<3 { #expect(await mailbox.next() == change(number)) }
  }

  @Test func wakesAWaitingSubscriber() async {
    let mailbox = ChangeSubscription()
    let listener = Task { await mailbox.next() }
    mailbox.post(change(1))?()
    #expect(await listener.value == change(1))
  }

  @Test func endsWithTheServiceOnceTheBufferIsEmpty() async {
    var board: ChangeBroadcaster? = ChangeBroadcaster()
    let changes = board?.subscribe()
    board?.post([change(1)]).forEach { $0() }
    board = nil
    var iterator = changes?.makeAsyncIterator()
    #expect(await iterator?.next() == change(1))
    #expect(await iterator?.next() == nil)
  }

  @Test func reportsMissedChangesAtTheirPlace() async {
    let mailbox = ChangeSubscription()
    for number in 0..<(ChangeBuffer.capacity + 10) { mailbox.post(change(number))?() }
    // There is room again, but to keep the order later changes are dropped too.
    #expect(await mailbox.next() == change(0))
    mailbox.post(change(9_000))?()
    for number in 1..<ChangeBuffer.capacity { #expect(await mailbox.next() == change(number)) }
    #expect(await mailbox.next() == .missed(11))
    mailbox.post(change(9_001))?()
    #expect(await mailbox.next() == change(9_001))
  }

  @Test func staysBoundedForASlowSubscriber() {
    var buffer = ChangeBuffer()
    buffer.append(change(0))
    for number in 1..<5_000 {
      buffer.append(change(number))
      let first = buffer.popFirst()
      #expect(first == change(number - 1))
    }
    #expect(buffer.changes.count <= ChangeBuffer.capacity)
  }

  @Test func endsForACancelledSubscriber() async {
    let mailbox = ChangeSubscription()
    let listener = Task { await mailbox.next() }
    listener.cancel()
    #expect(await listener.value == nil)
    mailbox.post(change(1))?()
    #expect(await mailbox.next() == change(1))
  }

  @Test func doesNotRetainReleasedSubscribers() async {
    let board = ChangeBroadcaster()
    var first: RelationshipChanges? = board.subscribe()
    weak let mailbox = first?.mailbox
    let second = board.subscribe()
    first = nil
    #expect(mailbox == nil)
    board.post([change(1)]).forEach { $0() }
    var iterator = second.makeAsyncIterator()
    #expect(await iterator.next() == change(1))
  }
}
