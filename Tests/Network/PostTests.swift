// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithPosts
import TestSupport
import Testing

/// Posts, likes and profiles on a PDS that these tests did not write, read back by an SDK that is not part of Kith; and
/// pictures, read by a foreign tool. They run serially: all are carol's.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .serialized,
  .timeLimit(.minutes(3)))
struct PostTests {
  private static let posts = "app.bsky.feed.post"

  private func asCarol(
    _ act: (Person, RecordReader, DID) async throws -> Void
  ) async throws {
    let network = try await LiveNetwork.populated().network
    let carol = try await Person.signedIn(as: "carol", to: network)
    defer { carol.end() }
    let account = try #require(network.accounts.first { $0.handle.description == "carol.test" })
    try await act(carol, RecordReader(network), account.did)
  }

  @Test func theSDKReadsWhatAPostNamesAtTheRightBytes() async throws {
    try await asCarol { carol, reader, did in
      let text = "Grüße 👩‍👩‍👧 an @alice.test: https://example.com/ä #Füße"
      let run = try await carol.kith("post - --replies everyone --lang de --yes", input: text)
      #expect(run.status == 0, "\(run.talk)")
      let post = try #require(try await reader.values(of: did, in: Self.posts).first)
      #expect(post.isValid && post.value["text"]?.string == text)
      let bytes = Array(text.utf8)
      let named = (post.value["facets"]?.array ?? []).map { facet -> String in
        let start = Int(facet["index"]?["byteStart"]?.integer ?? facet["index"]?["byte_start"]?.integer ?? -1)
        let end = Int(facet["index"]?["byteEnd"]?.integer ?? facet["index"]?["byte_end"]?.integer ?? -1)
        guard 0 <= start, start < end, end <= bytes.count else { return "" }
        return String(decoding: bytes[start..<end], as: UTF8.self)
      }
      #expect(named == ["@alice.test", "https://example.com/ä", "#Füße"])
      #expect(try await carol.kith("undo --yes").status == 0)
      #expect(try await reader.values(of: did, in: Self.posts).isEmpty)
    }
  }

  @Test func theAnswersOfAThreadNameTheVersionsThatTheServerStores() async throws {
    try await asCarol { carol, reader, did in
      let text = Array(repeating: "Dies ist ein Satz, der nichts sagt.", count: 20).joined(separator: " ")
      let run = try await carol.kith("post - --thread --replies none --yes", input: text)
      #expect(run.status == 0, "\(run.talk)")
      let found = try await reader.values(of: did, in: Self.posts)
      #expect(found.count == 3 && found.allSatisfy(\.isValid))
      let versions = Dictionary(uniqueKeysWithValues: found.map { ($0.uri, $0.cid) })
      let parents = found.compactMap { $0.value["reply"]?["parent"] }
      #expect(parents.count == 2)
      for parent in parents {
        #expect(parent["cid"]?.string == versions[parent["uri"]?.string ?? ""])
      }
      let gates = try await reader.values(of: did, in: "app.bsky.feed.threadgate")
      #expect(gates.count == 1 && gates.allSatisfy(\.isValid))
      let root = try #require(found.first { $0.value["reply"] == nil || $0.value["reply"] == .null })
      #expect(gates.first?.value["post"]?.string == root.uri)
      #expect(try await carol.kith("posts delete \(root.uri) --yes").status == 0)
      #expect(try await reader.values(of: did, in: Self.posts).count == 2)
      #expect(try await reader.values(of: did, in: "app.bsky.feed.threadgate").isEmpty)
    }
  }

  @Test func aProfileKeepsWhatItDoesNotName() async throws {
    try await asCarol { carol, reader, did in
      let profiles = "app.bsky.actor.profile"
      #expect(try await carol.kith("profile set --name Carol --website https://example.com").status == 0)
      let run = try await carol.kith("profile set --bio Vögel")
      #expect(run.status == 0, "\(run.talk)")
      let profile = try #require(try await reader.values(of: did, in: profiles).first)
      #expect(profile.isValid && profile.value["description"]?.string == "Vögel")
      #expect((profile.value["displayName"] ?? profile.value["display_name"])?.string == "Carol")
      #expect(try await carol.kith("undo --yes").status == 0)
      let former = try #require(try await reader.values(of: did, in: profiles).first)
      #expect(former.value["description"] == nil || former.value["description"] == .null)
    }
  }

  // MARK: Pictures

  private static let pictures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../KithPostsTests/Pictures").standardized

  /// What exiftool finds in a file, by group and tag.
  private func tags(of file: URL) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["exiftool", "-a", "-u", "-G0", "-s", "-n", "-ee", file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: ":").first.map { $0.split(separator: " ").joined(separator: " ") } ?? ""
    }
  }

  @Test(arguments: [
    "photo.jpg", "progressive.jpg", "photo.png", "photo.webp", "lossless.webp", "animation.webp",
  ])
  func exiftoolFindsNoMetadataInAPicture(name: String) throws {
    let source = Self.pictures.appending(path: name)
    let groups = ["[EXIF]", "[XMP]", "[IPTC]", "[Photoshop]", "[MakerNotes]", "[APP", "[MPF]", "[Trailer]"]
    func isPrivate(_ tag: String) -> Bool {
      groups.contains { tag.hasPrefix($0) }
        || ["Comment", "Thumbnail", "Author", "ModifyDate", "Trailer", "GPS"].contains { tag.contains($0) }
          && !tag.hasPrefix("[ICC_Profile]") && !tag.hasPrefix("[File] FileModifyDate")
    }
    let before = try tags(of: source)
    #expect(name == "animation.webp" || before.contains(where: isPrivate))
    let clean = FileManager.default.temporaryDirectory.appending(path: "kith-\(UUID())-\(name)")
    defer { try? FileManager.default.removeItem(at: clean) }
    try Data(try Picture(Array(try Data(contentsOf: source))).bytes).write(to: clean)
    let after = try tags(of: clean)
    #expect(after.contains { $0.hasSuffix("ImageWidth") })
    #expect(after.filter(isPrivate) == [])
    #expect(
      before.contains { $0.hasPrefix("[ICC_Profile]") } == after.contains { $0.hasPrefix("[ICC_Profile]") })
  }
}
