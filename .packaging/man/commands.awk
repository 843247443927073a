# SPDX-License-Identifier: MIT
# Makes a manual page of section 1 from the help of a subcommand.
#
#   reachctl help status | awk -v name=reachctl-status -v version=VERSION -v date=DATE \
#       -v others="reachctl reachctl-watch" -f commands.awk

function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

BEGIN {
	printf ".TH %s 1 \"%s\" \"reachctl %s\" \"reachctl\"\n", name, date, version
	headings["ARGUMENTS:"] = "ARGUMENTS"
	headings["OPTIONS:"] = "OPTIONS"
	headings["SUBCOMMANDS:"] = "COMMANDS"
	# The help has these before the options, a manual page after them.
	last["EXIT STATUS:"] = "EXIT STATUS"
	last["EXAMPLES:"] = "EXAMPLES"
}

function say(text) {
	if (part == "last")
		ending = ending text "\n"
	else
		print text
}

# Prints a list item: its term, and the rest of its line.
function item(text, rest) {
	say(".TP")
	say(".B " escape(text))
	if (rest != "")
		say(escape(rest))
}

# The first paragraph becomes the line that whatis(1) prints.
/^OVERVIEW: / {
	part = "overview"
	summary = substr($0, 11)
	next
}

part == "overview" && summary != "" {
	if ($0 != "") {
		summary = summary " " $0
		next
	}
	sub(/\.$/, "", summary)
	printf ".SH NAME\n%s \\- %s\n", name, escape(summary)
	summary = ""
	part = "description"
	next
}

/^USAGE: / {
	usage = substr($0, 8)
	print ".SH SYNOPSIS"
	print escape(usage)
	if (description != "")
		printf ".SH DESCRIPTION\n%s", description
	part = "usage"
	next
}

$0 in last {
	part = "last"
	say(".SH " last[$0])
	next
}

# "  64    its meaning", or a command and, below it, its description.
part == "last" && /^  [^ ]/ {
	text = substr($0, 3)
	if (match(text, /^[^ ]+  +/))
		item($1, substr(text, RLENGTH + 1))
	else
		item(text)
	next
}

part == "last" {
	if (/^[^ ]/)
		say(".PP")
	if (sub(/^ +/, "") || $0 != "")
		say(escape($0))
	next
}

part == "description" {
	description = description ($0 == "" ? ".PP" : escape($0)) "\n"
	next
}

$0 in headings {
	print ".SH " headings[$0]
	part = "list"
	next
}

# "  --option <value>   its help". The help continues at column 26, further
# paragraphs at column 8.
part == "list" && /^  [^ ]/ {
	if ($1 == "See") {
		part = "end"
		next
	}
	text = substr($0, 3)
	rest = ""
	if (match(text, /  +/) || (length($0) > 26 && substr($0, 26, 1) == " ")) {
		rest = RSTART ? substr(text, RSTART + RLENGTH) : substr($0, 27)
		text = RSTART ? substr(text, 1, RSTART - 1) : substr($0, 3, 23)
	}
	item(text, rest)
	next
}

part == "list" && /^ / {
	sub(/^ +/, "")
	print escape($0)
}

END {
	printf "%s.SH SEE ALSO\n", ending
	count = split(others, pages, " ")
	for (i = 1; i <= count; i++)
		if (pages[i] != name)
			printf ".BR %s (1)\n", pages[i]
}
