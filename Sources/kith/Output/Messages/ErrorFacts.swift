// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithSandbox
import KithStore
import KithWriting

/// The code and fields of a library error, including those of its underlying errors.
struct ErrorFacts {
  /// `TYPE.code` of the outermost error.
  let code: String
  /// The fields, each name once; `cause` is the code of the innermost error.
  let fields: [OutputField]

  init(_ error: any Error) {
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
    code = codes[0]
    if let cause = codes.last, codes.count > 1 { fields.append(OutputField("cause", .string(cause))) }
    self.fields = fields
  }

  /// One error, without its underlying error.
  private struct Layer {
    let code: String
    var fields: [OutputField] = []
    var underlying: (any Error)?

    init(_ error: any Error) {
      switch error {
      case let error as any CodedError:
        code = "\(type(of: error).domain).\(error.code)"
        // The description of the store already contains what SQLite reports.
        underlying = error is StoreError ? error.underlying as? SecureFolderError : error.underlying
        addFacts(of: error)
      case let error as UnrecordedChangeError:
        let layer = Layer(error.underlying)
        (code, underlying) = (layer.code, layer.underlying)
        fields = layer.fields + [OutputField("changed", .bool(false))]
      case let error as SecureFolderError:
        code = "file.\(error.code)"
        add("file", error.path)
      case let error as KithCore.ValidationError:
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
        code = "other"
      }
    }

    /// Adds the fields that are specific to each error type.
    private mutating func addFacts(of error: any CodedError) {
      switch error {
      case let error as XRPCError:
        add("method", error.method.description)
        add("service", error.service)
        if let status = error.status { fields.append(OutputField("httpStatus", .integer(status))) }
        add("name", error.name?.rawValue ?? "")
      case let error as TransportError: add("host", error.host)
      case let error as StoreError: add("file", error.path)
      case let error as SandboxError: add("address", error.address)
      case let error as JobError:
        if let job = error.job { fields.append(OutputField("job", .job(job))) }
        if let holder = error.holder { fields.append(OutputField("process", .number(holder.process))) }
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
