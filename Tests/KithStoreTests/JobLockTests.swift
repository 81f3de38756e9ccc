// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

@Suite struct JobLockTests {
  private let place = TemporaryStore()

  @Test func isFreeAsSoonAsItsProcessWasKilled() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<1))
    try await store.lease(job.id, at: place.now).release()
    let path = store.database.locks.path(of: StoreDatabase.lockName(of: job.id.number))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The lock moves with the value.
    process.arguments = ["flock", "--no-fork", path, "sh", "-c", "echo locked; exec sleep 99"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.readData(ofLength: 1)
    await #expect(throws: JobError.self) { try await store.lease(job.id, at: place.now) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try await store.lease(job.id, at: place.now).release()
  }

  @Test func reportsTheHolderAndSinceWhen() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<1))
    let claim = try await store.lease(job.id, at: place.now)
    let error = await #expect(throws: JobError.self) { try await store.lease(job.id, at: place.now) }
    let holder = try #require(error?.holder)
    #expect(holder.since == Datetime(at: place.now))
    #expect(holder.host == ProcessInfo.processInfo.hostName)
    // Not only running: undoing, removing and preparing it take the same lease.
    #expect(error?.code == .held && error?.job == job.id)
    #expect(holder.process == ProcessInfo.processInfo.processIdentifier)
    claim.release()
    claim.release()
    try await store.lease(job.id, at: place.now).release()
  }

  @Test func goesWithItsJob() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<1))
    try await store.lease(job.id, at: place.now).release()
    let path = store.database.locks.path(of: StoreDatabase.lockName(of: job.id.number))
    #expect(FileManager.default.fileExists(atPath: path))
    _ = try await store.cancel(job.id, at: place.now)
    try await store.remove(job.id)
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
