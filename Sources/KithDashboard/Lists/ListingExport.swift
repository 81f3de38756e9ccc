// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
import KithOperations

/// All rows of a listing as a file: CSV, or a JSON array.
struct ListingExport {
  private let request: ListingRequest
  private let format: ExportFormat

  init(_ section: Section, _ visit: Visit) throws {
    request = try ListingRequest(section, visit)
    guard let format = ExportFormat(rawValue: visit.items["as"] ?? "csv") else {
      throw DashboardError.invalid("as", "this is not csv or json")
    }
    self.format = format
  }

  /// - Throws: what is wrong with the filter; what goes wrong later ends the file, and its last line says so.
  func response() async throws -> LocalResponse {
    let (operation, workspace) = (try await request.operation(), request.account.workspace)
    let isCSV = format == .csv
    var response = LocalResponse.streamed(contentType: isCSV ? "text/csv; charset=utf-8" : "application/json")
    {
      write in
      let run = workspace.start(operation) { _ in }
      var encoder = RowEncoder(
        AccountViewRow.fieldNames, style: isCSV ? .csv(raw: false, keepsText: true) : .json)
      try await write(Array((isCSV ? AccountViewRow.fieldNames.joined(separator: ",") + "\r\n" : "[").utf8))
      var isFirst = true
      do {
        for try await batch in run.rows {
          var bytes: [UInt8] = []
          for row in batch {
            if !isCSV, !isFirst { bytes += ",\n".utf8 }
            isFirst = false
            encoder.encode(row)
            bytes.append(contentsOf: encoder.bytes)
            if isCSV { bytes += "\r\n".utf8 }
          }
          try await write(bytes)
        }
        if let error = try await run.outcome.interruption { throw error }
      } catch {
        // A file that ends early must not look whole.
        if isCSV { try await write(Array("incomplete: \(Failure(error).sentence)\r\n".utf8)) }
        throw error
      }
      if !isCSV { try await write(Array("]\n".utf8)) }
    }
    response.offer(asFileNamed: "\(request.account.name)-\(request.section.rawValue).\(format.rawValue)")
    return response
  }
}
