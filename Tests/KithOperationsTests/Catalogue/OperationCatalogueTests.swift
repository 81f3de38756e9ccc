// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithOperations
import Testing

@Suite struct OperationCatalogueTests {
  @Test func eachNameStandsForOneOperation() {
    let names = OperationCatalogue.names
    #expect(names.count > 50 && Set(names).count == names.count)
    for name in names { #expect(name.wholeMatch(of: /[a-z][A-Za-z]+/) != nil, "\(name)") }
  }

  @Test func thePageOfTheModuleNamesEachOperation() throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/KithOperations/KithOperations.docc/Operations.md"), encoding: .utf8
    )
    for operation in OperationCatalogue.all where operation.name != "callMethod" {
      // `Change<Source>` stands under the name of its source.
      let type = "\(operation)".split { "<>".contains($0) }.last ?? ""
      #expect(page.contains("- ``\(type)``\n"), "\(type)")
    }
  }
}
