// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithRelationships

extension AnswerCache {
  /// A cache in the files of a folder, which several processes can share. It can be deleted at any time.
  ///
  /// - Parameters:
  ///   - folder: created when something is kept.
  ///   - appview: the AppView whose answers are kept; those of another one do not count.
  ///   - directory: the directory of `did:plc`, likewise.
  public static func files(
    in folder: String, appview: ServiceURL, directory: ServiceURL
  ) -> AnswerCache {
    AnswerCache(
      identities: IdentityCache(folder: folder, appview: appview, directory: directory),
      names: { try? NameCache(folder: folder) }, lists: { try? ListNameCache(folder: folder) },
      discovery: { try? DiscoveryCache(folder: folder) }, records: OwnRecordCache(folder: folder))
  }
}
