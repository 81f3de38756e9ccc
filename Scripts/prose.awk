# SPDX-License-Identifier: Apache-2.0
# Prints, as FILE:LINE: PHRASE, each phrase of prose that plain English does not need. Reads lines of FILE, LINE and TEXT,
# tab separated; lines that follow each other are one text, so that a phrase may be broken between them.
#
# What stands between backticks is code.

BEGIN { FS = "\t" }
$1 != file || $2 != line + 1 { finish() }
{
  file = $1
  line = $2
  if (count == 0) replies = isAboutReplies(file)
  text = $3
  for (field = 4; field <= NF; field++) text = text " " $field
  read(text)
}
END { finish() }

# A post gets a reply there; elsewhere a request or a question gets an answer.
function isAboutReplies(file) { return file ~ /(^|\/)(POSTS|FEEDS)\.md$|^Sources\/kith\/Commands\/Posts\// }

function read(text, parts, number) {
  gsub(/`+/, "`", text)
  while (match(text, /[A-Za-z'.]+|`|[^A-Za-z'.` ]+/)) {
    part = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    if (part == "`") isCode = !isCode
    else if (!isCode) {
      sub(/[.']+$/, "", part)
      word[++count] = tolower(part)
      place[count] = line
    } else word[++count] = ""
  }
}

function finish(position) {
  for (position = 1; position <= count; position++) judge(position)
  delete word
  count = isCode = 0
}

function judge(position, this, next_, before, after) {
  this = word[position]
  following = word[position + 1]
  if (this ~ /^(whom|whoever|somebody|anew|nobody)$/) complain(position, this)
  else if (this == "for" && following == "leave" && word[position + 2] == "to") complain(position, "for leave to")
  else if (this == "so" && following == "many") complain(position, "so many")
  else if ((this == "is" || this == "are") && following == "no" && word[position - 1] != "there" &&
    word[position + 2] !~ /^(longer|more)$/)
    complain(position, this " no " word[position + 2])
  else if (replies && this ~ /^answer/) complain(position, this)
}

function complain(position, phrase) { print file ":" place[position] ": " phrase }
