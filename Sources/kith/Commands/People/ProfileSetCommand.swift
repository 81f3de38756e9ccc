// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithPosts
import KithWriting

/// `kith profile set`: changes one's own profile.
struct ProfileSetCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change your profile.",
    discussion: """
      Fields that you do not set keep their values, including those of other apps. The profile is read, changed and written; \
      if another app changes anything of yours in between, nothing is written, and it is read again. '' removes a \
      text. Pictures are JPEG or PNG, at most 1,000,000 bytes, and are published without what the file says besides \
      its pixels. A server deletes a picture that is replaced; a copy is kept here until the \
      job is removed, so that kith undo restores it with the texts. If there is none, that is said, and an undo restores \
      the texts alone.

        kith profile set --name Alice --bio "I like birds."
        kith profile set --avatar me.jpg --website https://example.com

      \(ChangeRow.help)
      """)

  @Option(parsing: .unconditional, help: ArgumentHelp("Your name: at most 64 characters.", valueName: "text"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("What you say about yourself: at most 256 characters.", valueName: "text"))
  var bio: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Address of your website.", valueName: "url"))
  var website: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Your pronouns: at most 20 characters.", valueName: "text"))
  var pronouns: String?

  @Option(help: ArgumentHelp("File with your picture.", valueName: "file"), completion: .file())
  var avatar: String?

  @Option(
    help: ArgumentHelp("File with the picture behind your profile.", valueName: "file"), completion: .file())
  var banner: String?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func validate() throws {
    if [name, bio, website, pronouns, avatar, banner].allSatisfy({ $0 == nil }) {
      throw ValidationError("Name what to change, such as --bio TEXT.")
    }
    if let website, !website.isEmpty {
      guard URI(website) != nil, ["http://", "https://"].contains(where: website.lowercased().hasPrefix)
      else {
        throw ValidationError("--website must be an address such as https://example.com, not \"\(website)\".")
      }
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var edit = ProfileEdit()
    (edit.name, edit.bio, edit.website, edit.pronouns) = (name, bio, website, pronouns)
    try await ChangeRun(context: context, options: options).finish(
      EditProfile(
        edit, avatar: try await picture(avatar, context), banner: try await picture(banner, context)))
  }

  private func picture(_ path: String?, _ context: CommandContext) async throws -> Picture? {
    guard let path else { return nil }
    let prepared = try await PreparedPicture(
      path, atMost: ProfileEdit.mostPictureBytes, kinds: [.jpeg, .png], in: context.process)
    if !common.quiet { context.report(prepared.preview(alt: nil)) }
    return prepared.picture
  }
}
