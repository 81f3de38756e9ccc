// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
import KithInsights
import KithPosts
import KithRelationships
import KithWriting

/// An error that names its own fields, such as one of a store that these libraries do not know.
package protocol FieldedError: CodedError {
  /// The values that the sentence mentions.
  var fields: [OutputField] { get }
  /// The error behind it whose code and fields count as well; nil if the sentence says everything.
  var cause: (any Error)? { get }
}

/// The code and fields of any error, for callers that do not read sentences. Encoded as one object.
public struct ErrorFields: Sendable, Equatable {
  /// `DOMAIN.code` of the outermost error of a library; the bare code of an ``OperationError``; `other` for any other
  /// error.
  public let code: String
  /// The fields, each name once. `cause` is the code of the innermost error; for an ``OperationError``, an object with
  /// the code and fields of the error behind it.
  public let fields: [OutputField]

  public init(_ error: any Error) {
    (code, fields) =
      switch error {
      case let error as OperationError:
        (
          error.code.rawValue,
          error.fields + (error.underlying.map { [OutputField("cause", .cause($0))] } ?? [])
        )
      case let error as InputError: Self.facts(of: error)
      case let error as RelationshipError where error.code == .invalidInput:
        (error.underlying as? InputError).map(Self.facts) ?? Self.layers(of: error)
      default: Self.layers(of: error)
      }
  }

  /// Input that is not valid is what the caller gave, not a failed lookup.
  private static func facts(of error: InputError) -> (String, [OutputField]) {
    (
      "invalidInput",
      [
        OutputField("input", .string(error.text)), OutputField("place", .text(error.place)),
        OutputField("noun", .string(error.noun)),
      ]
    )
  }

  private static func layers(of error: any Error) -> (String, [OutputField]) {
    var codes: [String] = []
    var fields: [OutputField] = []
    var next: (any Error)? = error
    while let error = next {
      let layer = Layer(error)
      codes.append(layer.code)
      for field in layer.fields where !fields.contains(where: { $0.name == field.name }) {
        fields.append(field)
      }
      next = layer.underlying
    }
    if let cause = codes.last, codes.count > 1 { fields.append(OutputField("cause", .string(cause))) }
    if let wait = retryAfter(error) {
      fields.append(OutputField("retryAfterMilliseconds", .milliseconds(wait)))
    }
    return (codes[0], fields)
  }

  /// How long the server asks to wait before the next try; nil if it does not ask.
  public static func retryAfter(_ error: any Error) -> Duration? {
    guard let error = error.withCodeInOutput else { return nil }
    return error.retryAfter ?? (error.underlying as? XRPCError)?.retryAfter
  }

  /// Code and fields in one object, as within a note about another failure.
  public var value: OutputValue { .object([OutputField("code", .string(code))] + fields) }

  /// One error, without the error behind it.
  private struct Layer {
    let code: String
    var fields: [OutputField] = []
    var underlying: (any Error)?

    init(_ error: any Error) {
      switch error {
      case let error as any FieldedError:
        (code, fields, underlying) = ("\(type(of: error).domain).\(error.code)", error.fields, error.cause)
      case let error as UnrecordedChangeError:
        let layer = Layer(error.journalError)
        (code, underlying) = (layer.code, layer.underlying)
        fields = layer.fields + [OutputField("changed", .bool(false))]
      case let error as SecureFolderError:
        code = "file.\(error.code)"
        add("file", error.path)
      case let error as ValidationError:
        code = "lexicon.invalid"
        add("path", error.path)
      case let error as DecodingError:
        code =
          if error.isBeyondBounds {
            "json.tooLarge"
          } else {
            error.isOfTheDocument ? "json.malformed" : "lexicon.mismatch"
          }
        add("path", DecodingFault(error).path)
      default:
        guard let error = error.withCodeInOutput else {
          code = "other"
          return
        }
        (code, underlying) = ("\(type(of: error).domain).\(error.code)", error.underlying)
        addFields(of: error)
      }
    }

    /// Adds the fields that are specific to each error type.
    private mutating func addFields(of error: any CodedError) {
      switch error {
      case let error as XRPCError:
        add("method", error.method.description)
        add("service", error.service)
        if let status = error.status { fields.append(OutputField("httpStatus", .integer(status))) }
        add("name", error.name?.rawValue ?? "")
      case let error as TransportError: add("host", error.host)
      case let error as JobError:
        if let job = error.job { fields.append(OutputField("job", .job(job))) }
        if let holder = error.holder { fields.append(OutputField("process", .number(holder.process))) }
        if let difference = error.difference {
          fields += [
            OutputField("new", .integer(difference.came)), OutputField("gone", .integer(difference.went)),
            OutputField("newSubjects", .array(difference.subjectsThatCame.map { .string($0) })),
            OutputField("goneSubjects", .array(difference.subjectsThatWent.map { .string($0) })),
          ]
        }
      default:
        add("subject", error.subject)
        add("path", (error as? RelationshipError)?.path ?? "")
      }
    }

    private mutating func add(_ name: String, _ text: String) {
      if !text.isEmpty { fields.append(OutputField(name, .string(text))) }
    }
  }
}

extension ErrorFields: Encodable {
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Error {
  /// The error, if machine output gives its code; nil for what parsers and planners throw, which output reports as
  /// invalid input, as a refused change or as `other`.
  package var withCodeInOutput: (any CodedError)? {
    switch self {
    case is SyntaxError, is ValidationError, is PredicateError, is InputError, is ServiceURL.Fault,
      is PictureError, is MalformedRecord, is ChangeFailure, is ChangeRefusal, is Forecast.Refusal,
      is UnrecordedChangeError:
      nil
    default: self as? any CodedError
    }
  }
}
