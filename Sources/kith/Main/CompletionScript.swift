// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The script that swift-argument-parser generates, with completion of the commands that `kith help` explains,
/// and in bash with candidates that are never expanded.
struct CompletionScript {
  let text: String

  init(for shell: CompletionShell) {
    let script = Kith.completionScript(for: shell)
    text =
      switch shell {
      case .bash:
        Self.replacing(
          "__kith_add_completions", in: Self.replacing("_kith_help", in: script, by: Self.bashHelp),
          by: Self.bashCandidates)
      case .zsh: Self.replacing("_kith_help", in: script, by: Self.zshHelp)
      default: script + "\n" + Self.fishHelp
      }
  }

  /// Names and topics after `kith help`, each with those of its subcommands.
  private static var names: [(name: String, subcommands: [String])] {
    Kith.shownSubcommands.map { command in
      (command.commandName, command.shownSubcommands.map { $0.commandName })
    } + HelpTopic.allCases.map { ($0.rawValue, []) }
  }

  private static var parents: [(name: String, subcommands: [String])] {
    names.filter { !$0.subcommands.isEmpty }
  }

  /// Puts another body in the place of that of a generated function.
  private static func replacing(_ function: String, in script: String, by body: String) -> String {
    guard let start = script.firstRange(of: "\n\(function)() {\n"),
      let end = script[start.upperBound...].firstRange(of: "\n}\n")
    else { return script }
    return script[..<start.upperBound] + body + script[end.lowerBound...]
  }

  /// Compares candidates as text, and quotes them. `compgen -W`, which is generated, expands each word: a name of a
  /// list or a column that contains `$(…)` would run as a command. And bash itself leaves a dollar sign unquoted in
  /// the name of what is not a file, so that Enter would run it.
  private static let bashCandidates = #"""
        local candidate typed="${cur}" mark='' quoted char
        local -i index
        if [[ "${1}" != -W ]]; then
            while IFS='' read -r candidate; do
                COMPREPLY+=("${candidate}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
            return
        fi
        compopt +o filenames
        # The word as it is typed: an opening quotation mark and backslashes are not part of the name.
        case "${COMP_WORDS[COMP_CWORD]}" in
        [\'\"]*) mark="${COMP_WORDS[COMP_CWORD]:0:1}" typed="${typed#"${mark}"}" ;;
        esac
        [[ "${mark}" == "'" ]] || typed="${typed//\\/}"
        while IFS='' read -r candidate; do
            [[ -n "${candidate}" && "${candidate}" == "${typed}"* ]] || continue
            quoted=''
            [[ -n "${mark}" ]] || printf -v quoted %q "${candidate}"
            for ((index = 0; ${#mark} && index < ${#candidate}; index++)); do
                char="${candidate:index:1}"
                case "${mark}${char}" in
                "''") quoted+="'\\''" ;;
                \"!) quoted+="\"'!'\"" ;;
                \"[\"\\\$\`]) quoted+="\\${char}" ;;
                *) quoted+="${char}" ;;
                esac
            done
            COMPREPLY+=("${quoted}")
        done <<< "${2}"
    """#

  private static var bashHelp: String {
    let cases = parents.map { "    3:\($0.name)) names='\($0.subcommands.joined(separator: " "))' ;;\n" }
    return """
          local names=''
          case "${COMP_CWORD}:${COMP_WORDS[2]}" in
          2:*) names='\(names.map(\.name).joined(separator: " "))' ;;
      \(cases.joined())\
          esac
          COMPREPLY+=($(compgen -W "${names}" -- "${cur}"))
      """
  }

  /// In the function of a subcommand, the words begin with its name.
  private static var zshHelp: String {
    let cases = parents.map { "    3:\($0.name)) names=(\($0.subcommands.joined(separator: " "))) ;;\n" }
    return """
          local -a names
          case "${CURRENT}:${words[2]}" in
          2:*) names=(\(names.map(\.name).joined(separator: " "))) ;;
      \(cases.joined())\
          esac
          __kith_complete "${names[@]}"
      """
  }

  private static var fishHelp: String {
    func line(_ place: Int, _ condition: String, _ names: [String]) -> String {
      let place = "__kith_should_offer_completions_for_positional \"kith help\" -eq \(place)"
      return "complete -c 'kith' -n '\(place)\(condition)' -fka '\(names.joined(separator: " "))'"
    }
    let lines =
      [line(1, "", names.map(\.name))]
      + parents.map { line(2, "; and __fish_seen_subcommand_from \($0.name)", $0.subcommands) }
    return lines.joined(separator: "\n")
  }
}
