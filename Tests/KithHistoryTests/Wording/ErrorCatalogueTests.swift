// SPDX-License-Identifier: Apache-2.0

import KithHistory
import TestSupport
import Testing

/// The texts of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    let actor = Accounts.did(1)
    let errors = [
      HistoryError.inUse(HistoryListing(.followers, of: actor)), .noSnapshot(of: actor), .known(actor),
      .replaced(StreamReaderID(number: 1), at: "jetstream.test"),
    ]
    for error in errors { catalogue.add("history.\(error.code)", error) }
    #expect(try catalogue.differences() == [])
    #expect(Set(HistoryError.Code.all.map { "history.\($0)" }).subtracting(catalogue.codes) == [])
  }
}
