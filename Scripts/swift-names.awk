# SPDX-License-Identifier: Apache-2.0
# Reads Swift sources and prints, tab separated, for each file:
#
#   declares FILE TYPE         a type declared at the top level
#   nests    FILE TYPE         a type declared inside another
#   uses     FILE TYPE         a word that may name a type; comments and literals are left out, and what follows a dot
#   says     FILE LINE TEXT    the text of a string literal, with each interpolation as \()
#   notes    FILE LINE TEXT    a line of a comment, or its part of a line
#
# A small scanner, not a parser: it relies on the format that `make lint` checks, where only declarations at the
# top level start in the first column. Words inside interpolations are code.

FNR == 1 { forget() }
{ scan($0) }

function forget() { # a new file
  delete used
  depth = 0
  mode[0] = "code"
}

# Modes: code, string, text (between """), raw (between #" and "#), comment. Interpolations and comments nest.
function scan(line, position, code, note, character, pair) {
  code = note = ""
  if (mode[depth] == "text") says(depth, " ")
  for (position = 1; position <= length(line); position++) {
    character = substr(line, position, 1)
    pair = substr(line, position, 2)
    if (mode[depth] == "comment") {
      if (pair == "/*") { enter("comment"); position++ }
      else if (pair == "*/") { depth--; position++ }
      else note = note character
    } else if (mode[depth] == "code") {
      if (pair == "//") { note = note substr(line, position + 2); break }
      if (pair == "/*") { enter("comment"); position++ }
      else if (pair == "#\"") { enter("raw"); position++ }
      else if (substr(line, position, 3) == "\"\"\"") { enter("text"); position += 2 }
      else if (character == "\"") enter("string")
      else if (depth > 0 && character == ")" && parentheses[depth]-- == 0) { depth--; code = code " " }
      else {
        if (character == "(") parentheses[depth]++
        code = code character
        continue
      }
      code = code " "
    } else if (mode[depth] == "raw") {
      if (pair == "\"#") { leave(); position++ } else says(depth, character)
    } else if (pair == "\\(") {
      says(depth, "\\()")
      enter("code")
      position++
    } else if (character == "\\") {
      says(depth, pair)
      position++
    } else if (mode[depth] == "text" && substr(line, position, 3) == "\"\"\"") {
      leave()
      position += 2
    } else if (mode[depth] == "string" && character == "\"") leave()
    else says(depth, character)
  }
  # A literal on one line ends with it, so that what this scanner misreads stays on its line.
  for (position = 1; position <= depth; position++)
    if (mode[position] == "string" || mode[position] == "raw") { depth = position; leave() }
  names(code)
  if (note != "") print "notes\t" FILENAME "\t" FNR "\t" note
}

function enter(kind) {
  mode[++depth] = kind
  parentheses[depth] = 0
  literal[depth] = ""
  start[depth] = FNR
}

function says(depth, characters) { literal[depth] = literal[depth] characters }

function leave() {
  if (literal[depth] != "") print "says\t" FILENAME "\t" start[depth] "\t" literal[depth]
  depth--
}

function names(code, rest, name, before) {
  rest = code
  while (match(rest, /(struct|class|actor|enum|protocol|typealias) +[A-Z][A-Za-z0-9_]*/)) {
    before = substr(rest, 1, RSTART - 1)
    name = substr(rest, RSTART, RLENGTH)
    sub(/.* /, "", name)
    if (before ~ /(^|[^A-Za-z0-9_])$/) print (code ~ /^[^ ]/ ? "declares" : "nests") "\t" FILENAME "\t" name
    rest = substr(rest, RSTART + RLENGTH)
  }
  while (match(code, /\.?[A-Za-z_][A-Za-z0-9_]*/)) {
    name = substr(code, RSTART, RLENGTH)
    if (name ~ /^[A-Z]/ && !(name in used)) {
      used[name]
      print "uses\t" FILENAME "\t" name
    }
    code = substr(code, RSTART + RLENGTH)
  }
}
