# SPDX-License-Identifier: MIT
# Makes section 3 of the manual from the comments of the public headers:
# libreach(3), and one page per header and per function.
#
#   awk -v version=VERSION -v date=DATE -v out=DIRECTORY -f headers.awk include/reach/*.h

function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/@p /, "", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

function begin(title) {
	page = out "/" title ".3"
	printf ".TH %s 3 \"%s\" \"libreach %s\" \"libreach\"\n", title, date, version >page
}

# The line that whatis(1) prints: the text up to the end of its first clause,
# shortened so that the line has at most 80 columns with `title`.
function summary(text, title) {
	gsub(/[\n\t ]+/, " ", text)
	sub(/^ /, "", text)
	sub(/^libreach: /, "", text)
	gsub(/@p /, "", text)
	if (match(text, /[.;:]( |$)/))
		text = substr(text, 1, RSTART - 1)
	sub(/ \([^)]*$/, "", text)
	if (length(title " - " text) > 80)
		gsub(/ \([^)]*\)/, "", text)
	while (length(title " - " text) > 80 &&
	    match(text, /^.*(,| and| as| at| by| for| from| in| of| on| that| to| whose| with) /)) {
		text = substr(text, 1, RLENGTH - 1)
		sub(/(,| [a-z]+)$/, "", text)
		sub(/,$/, "", text)
	}
	return text
}

# Prints lines that start with a tab verbatim. An empty line separates
# paragraphs, and an error in a list of results starts a new line.
function paragraphs(text,   lines, count, i, verbatim) {
	count = split(text, lines, "\n")
	for (i = 1; i <= count; i++) {
		if (lines[i] ~ /^\t/ && !verbatim)
			print ".PP\n.RS 4\n.nf" >page
		if (lines[i] !~ /^\t/ && verbatim)
			print ".fi\n.RE" >page
		verbatim = lines[i] ~ /^\t/
		if (verbatim)
			sub(/^\t/, "", lines[i])
		else
			sub(/^ +/, "", lines[i])
		if (lines[i] == "")
			print verbatim ? "" : ".PP" >page
		else {
			if (lines[i] ~ /^-E[A-Z]+/ && lines[i - 1] ~ /;$/)
				print ".br" >page
			print escape(lines[i]) >page
		}
	}
	if (verbatim)
		print ".fi\n.RE" >page
}

function code(text,   lines, count, i) {
	print ".nf" >page
	count = split(text, lines, "\n")
	for (i = 1; i <= count; i++)
		print escape(lines[i]) >page
	print ".fi" >page
}

function function_page(name,   tags, count, i, tag, word, rest, description, parameters, result) {
	count = split("\n" comment, tags, /\n *@(param|return)/)
	# split() drops the tags, so the loop searches for them again in `rest`.
	description = tags[1]
	rest = "\n" comment
	for (i = 2; i <= count; i++) {
		match(rest, /\n *@(param|return)/)
		tag = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (tag ~ /return/) {
			result = tags[i]
			continue
		}
		sub(/^(\[out\])? +/, "", tags[i])
		match(tags[i], /^[a-z_]+/)
		word = substr(tags[i], 1, RLENGTH)
		tag = substr(tags[i], RLENGTH + 1)
		gsub(/\n +/, "\n", tag)
		sub(/^ +/, "", tag)
		parameters = parameters ".TP\n.I " word "\n" escape(tag) "\n"
	}
	if (match(description, /@return/)) {
		result = substr(description, RSTART + RLENGTH)
		description = substr(description, 1, RSTART - 1)
	}
	sub(/^\n/, "", description)
	begin(name)
	printf ".SH NAME\n%s \\- %s\n", name, escape(summary(comment, name)) >page
	print ".SH SYNOPSIS" >page
	code("#include <reach/reach.h>\n\n" declaration)
	print ".SH DESCRIPTION" >page
	paragraphs(description)
	printf "%s", parameters >page
	if (result != "") {
		print ".SH RETURN VALUE" >page
		paragraphs(result)
	}
	printf ".SH SEE ALSO\n.BR %s (3),\n.BR libreach (3)\n", header_page >page
	close(page)
	functions = functions ".TP\n.BR " name " (3)\n" escape(summary(comment, name)) "\n"
}

function header_end() {
	if (header == "" || header == "export")
		return
	begin(header_page)
	printf ".SH NAME\n%s \\- %s\n", header_page, escape(summary(overview, header_page)) >page
	print ".SH SYNOPSIS" >page
	code("#include <reach/" header ".h>")
	print ".SH DESCRIPTION" >page
	paragraphs(overview)
	if (types != "") {
		print ".SH TYPES AND CONSTANTS" >page
		code(types)
	}
	if (functions != "")
		printf ".SH FUNCTIONS\n%s", functions >page
	print ".SH SEE ALSO" >page
	for (i = 1; i < ARGC; i++)
		if (name_of(ARGV[i]) != header && name_of(ARGV[i]) != "export")
			printf ".BR %s (3)\n", page_of(name_of(ARGV[i])) >page
	close(page)
}

function name_of(path) {
	sub(/.*\//, "", path)
	sub(/\.h$/, "", path)
	return path
}

function page_of(name) { return name == "reach" ? "libreach" : "reach_" name }

FNR == 1 {
	header_end()
	header = name_of(FILENAME)
	header_page = page_of(header)
	overview = types = functions = comment = declaration = ""
}

/^\/\*\*/ {
	inside = 1
	comment = raw = ""
}

inside {
	line = $0
	raw = raw line "\n"
	ended = sub(/ *\*\/$/, "", line)
	sub(/^\/\*\* ?/, "", line)
	sub(/^ \*($| |(\t))/, "", line)
	if ($0 ~ /^ \*\t/)
		line = "\t" line
	comment = comment (comment == "" ? "" : "\n") line
	if (ended) {
		inside = 0
		if (overview == "") {
			overview = comment
			comment = raw = ""
		}
	}
	next
}

# The declaration after a comment, up to its final semicolon.
declaration != "" || (comment != "" && /^[a-z#R]/) {
	line = $0
	api = api || $0 ~ /^(REACH_API|static inline) /
	sub(/^(REACH_API|static inline) /, "", line)
	if (api && $0 == "{") # The body of an inline function.
		declaration = declaration ";"
	else
		declaration = declaration (declaration == "" ? "" : "\n") line
	if ($0 !~ /^#/ && $0 !~ /^}?[^\t].*;$|^\t.*\);$|^};$/ && (!api || $0 != "{"))
		next
	if (api) {
		match(declaration, /reach_[a-z0-9_]+\(/)
		function_page(substr(declaration, RSTART, RLENGTH - 1))
	} else {
		types = types (types == "" ? "" : "\n") raw declaration "\n"
	}
	comment = raw = declaration = ""
	api = 0
}

END { header_end() }
