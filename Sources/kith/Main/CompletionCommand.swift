// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `kith completion`: prints a shell completion script.
struct CompletionCommand: KithCommand {
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash
    case zsh
    case fish
  }

  static let configuration = CommandConfiguration(
    verb: "completion",
    abstract: "Print a completion script for bash, zsh or fish.",
    discussion: """
        kith completion bash > ~/.local/share/bash-completion/completions/kith
        kith completion zsh > ~/.zfunc/_kith
        kith completion fish > ~/.config/fish/completions/kith.fish
      """)

  @Argument(help: "bash, zsh or fish.") var shell: Shell

  func run(in process: RunContext) async throws {
    let shell: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    try process.standardOutput.write(Array((CompletionScript(for: shell).text + "\n").utf8))
  }
}
