# SPDX-License-Identifier: MIT
# Prints the table of steps from the first lines of their programs.
BEGIN { print "| step | what it checks | needs |\n|---|---|---|" }
FNR == 1 { step = FILENAME; sub(/.*\//, "", step) }
sub(/^# checks: /, "") { text = $0; continues = 1; next }
continues && sub(/^#  +/, "") { text = text " " $0; next }
{ continues = 0 }
sub(/^need /, "") { print "| `" step "` | " text " | " $0 " |"; nextfile }
