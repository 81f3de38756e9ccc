// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships
internal import KithWriting

/// The text of a proposed request in the journal: JSON.
///
/// `{"v": 1, "change": INTENT, "steps": [{"subject", "step": STEP}]}`, with `"isResolved"`, `"until"`, `"changesJobs"`,
/// `"refusal"` and `"narrowing"` where they say something. A step is that of ``StepText``; intents, refusals and narrowings
/// have the form that they have themselves.
enum ProposalText {
  /// The version that this program writes; it reads no later one.
  private static let version: Int64 = 1

  /// Encodes a request.
  ///
  /// - Throws: `EncodingError` for a record outside the data model.
  static func text(of request: ProposedRequest) throws -> String {
    var fields: DataObject = [
      "v": .integer(version), "change": request.intent,
      "steps": .array(
        request.steps.map { ["subject": .string($0.subject.description), "step": StepText.value($0)] }),
    ]
    if request.isResolved { fields["isResolved"] = true }
    fields["until"] = request.until.map { .string($0.description) }
    fields["narrowing"] = request.narrowing
    if request.changesJobs { fields["changesJobs"] = true }
    fields["refusal"] = request.refusal?.stored
    return String(decoding: try JSONCoding.encode(DataValue.object(fields)), as: UTF8.self)
  }

  /// Decodes a request.
  ///
  /// - Throws: `DecodingError`, `SyntaxError`, `StoredIntentFault`, ``StepText/Fault``.
  static func request(_ text: String, as input: String) throws -> ProposedRequest {
    let value = try JSONCoding.decode(DataValue.self, from: Array(text.utf8))
    guard case .integer(let version)? = value["v"], (1...Self.version).contains(version) else {
      throw StepText.Fault(description: "a newer version has written it")
    }
    guard let change = value["change"], let steps = value["steps"]?.array else {
      throw StepText.Fault(description: "it has no change")
    }
    return ProposedRequest(
      input: input, intent: change, isResolved: value["isResolved"]?.bool ?? false,
      until: try value["until"].map { try Datetime(parsing: $0.string ?? "") },
      narrowing: value["narrowing"], steps: try steps.map(step),
      changesJobs: value["changesJobs"]?.bool ?? false,
      refusal: try value["refusal"].map(ChangeRefusal.init(stored:)))
  }

  private static func step(_ value: DataValue) throws -> ChangeStep {
    guard let subject = value["subject"]?.string.flatMap({ ChangeStep.Subject($0) }), let step = value["step"]
    else { throw StepText.Fault(description: "a step has no subject") }
    return try StepText.step(step, about: subject)
  }
}
