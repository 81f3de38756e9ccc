// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations
import KithWriting

/// What is done about a job under `/api/jobs/{job}/{action}`.
enum JobAction: String, CaseIterable {
  case approve, reject, resume, retry, pause, cancel, undo
}

/// What a POST about a job brings.
struct JobOrder {
  let job: JobID
  let action: JobAction
  /// What is approved; nil for whatever was proposed.
  let digest: PlanDigest?
  /// Whether questions are answered with yes.
  let isConfirmed: Bool

  private struct Body: Decodable {
    let digest: String?
    let confirmed: Bool?
  }

  /// An order that no one has to confirm.
  init(_ job: JobID, _ action: JobAction) {
    (self.job, self.action, digest, isConfirmed) = (job, action, nil, true)
  }

  /// Reads the order from the parts of the path, and from a form or an object.
  init(_ visit: Visit) throws(DashboardError) {
    guard let job = JobID(visit.parts["job"] ?? "") else {
      throw .invalid(visit.parts["job"] ?? "", "this is not the number of a job")
    }
    guard let action = JobAction(rawValue: visit.parts["action"] ?? "") else {
      throw DashboardError(.noSuchPage, visit.request.path, "there is no such action")
    }
    let body = try? JSONCoding.decode(Body.self, from: visit.request.body)
    let digest = visit.form?["digest"] ?? body?.digest
    self.digest = digest.flatMap { PlanDigest($0) }
    guard digest == nil || self.digest != nil else {
      throw .invalid("digest", "these are not the 64 hexadecimal digits of a plan")
    }
    // What is approved is what was shown.
    guard action != .approve || self.digest != nil else {
      throw .invalid("digest", "it says which plan is approved, and is needed")
    }
    (self.job, self.action) = (job, action)
    isConfirmed = visit.form?["confirmed"] == "yes" || body?.confirmed == true
  }
}

/// How an order about a job went so far: one that sends changes goes on in the server.
enum JobAnswer: Sendable {
  /// The job runs.
  case running(JobID)
  /// There is nothing more to do.
  case done(Ending)
  /// It has to be confirmed first.
  case asks(Question)
}
