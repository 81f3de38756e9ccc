# SPDX-License-Identifier: Apache-2.0
# Finds cycles between the folders of each target, from what swift-names.awk prints. check-folders says what for.
# Folders are written TARGET/FOLDER, and TARGET/. for the files that stand in no folder.

BEGIN {
  FS = "\t"
  if (mode == "check") {
    while ((getline line < known) > 0) {
      if (line !~ /^[^#]/) continue
      split(line, word, " ")
      allow(word[1] "/" word[2], word[1] "/" word[3], word[4])
    }
  }
}

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
  if (mode == "list") list(); else check()
}

function folderOf(file, part, count, position, folder) {
  count = split(file, part, "/")
  folder = part[2] "/" (count == 3 ? "." : part[3])
  for (position = 4; position < count; position++) folder = folder "/" part[position]
  return folder
}
function targetOf(folder) { return substr(folder, 1, index(folder, "/") - 1) }
function nameOf(folder) { return substr(folder, index(folder, "/") + 1) }

function allow(from, to, type) { listed[from, to]; allows[from, to, type] }

# reaches[A, B]: A uses B, or what uses B, along arrows that are not listed.
function follow(arrow, from, by, to) {
  delete reaches
  for (arrow in types) if (!(arrow in listed)) reaches[arrow]
  for (by in folders) for (from in folders) if ((from, by) in reaches)
    for (to in folders) if ((by, to) in reaches) reaches[from, to]
}

function check(arrow, part, type, position) {
  follow()
  for (arrow in types) {
    split(arrow, part, SUBSEP)
    if (isLighter(arrow)) {
      complain("folders " nameOf(part[1]) " and " nameOf(part[2]) " use each other's types, the lighter side is " \
        arrowText(arrow) ", by" types[arrow], part[1])
      pairs[targetOf(part[1])]
    }
    if (arrow in listed)
      for (position = split(types[arrow], type, " "); position > 0; position--)
        if (!((part[1], part[2], type[position]) in allows))
          complain(arrowText(arrow) " points the wrong way and must not grow, now it also uses " type[position], part[1])
  }
  for (arrow in types) {
    split(arrow, part, SUBSEP)
    if (isInCycle(arrow) && !(targetOf(part[1]) in pairs))
      complain("a cycle of several folders includes " arrowText(arrow) ", by" types[arrow], part[1])
  }
  for (arrow in listed) {
    split(arrow, part, SUBSEP)
    if (!((part[2], part[1]) in reaches))
      complain(arrowText(arrow) " no longer closes a cycle, delete its entries in " known, part[1])
  }
  for (arrow in allows) {
    split(arrow, part, SUBSEP)
    if (index(types[part[1], part[2]] " ", " " part[3] " ") == 0)
      complain(arrowText(part[1] SUBSEP part[2]) " no longer uses " part[3] ", delete its entry in " known, part[1])
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

function isInCycle(arrow, part) {
  split(arrow, part, SUBSEP)
  return !(arrow in listed) && (part[2], part[1]) in reaches
}

# Whether two folders use each other, the first one less.
function isLighter(arrow, part, back) {
  split(arrow, part, SUBSEP)
  back = part[2] SUBSEP part[1]
  return back in types && !(arrow in listed || back in listed) && comesBefore(arrow, back)
}

function comesBefore(arrow, other) {
  return count[arrow] < count[other] || (count[arrow] == count[other] && arrow < other)
}

# The lighter arrow of each pair points the wrong way, then the lightest of each longer cycle; what closes no cycle
# without the others is left out.
function list(arrow, part, lightest, type, position) {
  for (arrow in types) if (isLighter(arrow)) light[arrow]
  for (arrow in light) listed[arrow]
  do {
    follow()
    lightest = ""
    for (arrow in types)
      if (isInCycle(arrow) && (lightest == "" || comesBefore(arrow, lightest))) lightest = arrow
    if (lightest != "") listed[lightest]
  } while (lightest != "")
  for (arrow in light) {
    split(arrow, part, SUBSEP)
    if ((part[2], part[1]) in reaches) continue
    delete listed[arrow]
    follow()
  }
  for (arrow in listed) {
    split(arrow, part, SUBSEP)
    for (position = split(types[arrow], type, " "); position > 0; position--)
      print targetOf(part[1]), nameOf(part[1]), nameOf(part[2]), type[position] | "sort"
  }
}
