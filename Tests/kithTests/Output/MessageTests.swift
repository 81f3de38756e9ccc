// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithRelationships
@testable import KithWriting
@testable import kith

@Suite struct MessageTests {
  private let message = Message.systemError("a\u{1B}[2J.txt", "No such\nfile")

  @Test func textFormIsOneLine() {
    #expect(message.line(as: .text) == "kith: \(TerminalText.clean(message.text))\n")
    #expect(!message.line(as: .text).contains("\u{1B}"))
    let warning = Message(.warning, .usage, "look")
    #expect(warning.line(as: .text) == "kith: warning: look\n")
  }

  @Test func jsonFormIsOneObject() throws {
    let line = message.line(as: .json)
    #expect(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1 && !line.contains("\u{1B}"))
    let read = try #require(try KithMessage.all(in: line).first)
    #expect(read.level == "error" && read.code == "systemError")
    #expect(read.text == TerminalText.clean(message.text))
    #expect(read.text("file") == "a\u{1B}[2J.txt" && read.text("reason") == "No such\nfile")
  }

  @Test func aFieldOfTheErrorItselfAppearsOnce() throws {
    let job = JobID(number: 3)
    let message = Message(JobError.held(job, by: nil)).about("job 3", "job", .job(job))
    let read = try #require(try KithMessage.all(in: message.line(as: .json)).first)
    #expect(read.code == "job.held" && read.number("job") == 3)
  }

  @Test func aHintKeepsCodeAndJob() throws {
    let job = JobID(number: 3)
    for (message, code) in [
      (Message(ChangeRefusal.awaited(job)), "refusal.awaited"),
      (Message(JobError.inDoubt(job, 2)), "job.inDoubt"),
      (Message(JobError.notFound(job)), "job.notFound"),
    ] {
      let read = try #require(try KithMessage.all(in: message.line(as: .json)).first)
      #expect(read.code == code && read.number("job") == 3)
    }
    #expect(ChangeNote.openJob(job).job == job && ChangeRefusal.awaited(job).job == job)
  }

  @Test func everyCodeIsAWord() {
    let codes = Message.Code.allCases.map(\.rawValue) + Note.Code.allCases.map(\.rawValue)
    for code in codes { #expect(code.wholeMatch(of: /[a-z][A-Za-z]+/) != nil) }
  }
}
