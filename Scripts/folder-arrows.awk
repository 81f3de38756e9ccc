# SPDX-License-Identifier: Apache-2.0
# Finds cycles between the folders of each target, from what swift-names.awk prints. check-folders says what for.
# Folders are written TARGET/FOLDER, and TARGET/. for the files that stand in no folder.

BEGIN { FS = "\t" }

{ folder = folderOf($2) }
$1 == "declares" && !((folder, $3) in topLevel) {
  topLevel[folder, $3]
  home[targetOf(folder), $3] = home[targetOf(folder), $3] folder " "
}
$1 == "declares" || $1 == "nests" { own[folder, $3] }
$1 == "uses" { named[folder, $3] }

END {
  for (pair in named) {
    split(pair, part, SUBSEP)
    from = part[1]
    # A name that the folder itself declares leads nowhere, nor does one that several others declare.
    if (pair in own || split(home[targetOf(from), part[2]], place, " ") != 1) continue
    to = place[1]
    types[from, to] = types[from, to] " " part[2]
    folders[from]; folders[to]
  }
  for (arrow in types) count[arrow] = split(types[arrow], part, " ")
  check()
}

function folderOf(file, part, count, position, folder) {
  count = split(file, part, "/")
  folder = part[2] "/" (count == 3 ? "." : part[3])
  for (position = 4; position < count; position++) folder = folder "/" part[position]
  return folder
}
function targetOf(folder) { return substr(folder, 1, index(folder, "/") - 1) }
function nameOf(folder) { return substr(folder, index(folder, "/") + 1) }

# reaches[A, B]: A uses B, or what uses B.
function follow(arrow, from, by, to) {
  for (arrow in types) reaches[arrow]
  for (by in folders) for (from in folders) if ((from, by) in reaches)
    for (to in folders) if ((by, to) in reaches) reaches[from, to]
}

function check(arrow, part) {
  follow()
  for (arrow in types) {
    if (!isLighter(arrow)) continue
    split(arrow, part, SUBSEP)
    complain("folders " nameOf(part[1]) " and " nameOf(part[2]) " use each other's types, the lighter side is " \
      arrowText(arrow) ", by" types[arrow], part[1])
    pairs[targetOf(part[1])]
  }
  for (arrow in types) {
    split(arrow, part, SUBSEP)
    if ((part[2], part[1]) in reaches && !(targetOf(part[1]) in pairs))
      complain("a cycle of several folders includes " arrowText(arrow) ", by" types[arrow], part[1])
  }
  close("sort >&2")
  exit failures > 0
}

function complain(message, folder) {
  print "Sources/" targetOf(folder) ": " message | "sort >&2"
  failures++
}

function arrowText(arrow, part) {
  split(arrow, part, SUBSEP)
  return nameOf(part[1]) " -> " nameOf(part[2])
}

# Whether two folders use each other, the first one less.
function isLighter(arrow, part, back) {
  split(arrow, part, SUBSEP)
  back = part[2] SUBSEP part[1]
  return back in types && (count[arrow] < count[back] || (count[arrow] == count[back] && arrow < back))
}
