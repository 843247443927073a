# SPDX-License-Identifier: MIT
# The examples of doc comments of Swift sources: blocks that are indented by four spaces, below an
# empty line or at the beginning of a comment. Each becomes the body of a function, with the file and
# the line that it comes from; its imports stand before them. With -v language=c those of C headers, a
# tab deep, of which a table is none: a statement ends with ";".
#
#   awk -f examples.awk FILE... >examples.swift

function flush() {
	if (body == "" || (language == "c" && body !~ /;(\n|$)/)) {
		body = ""
		return
	}
	count++
	if (language == "c")
		text = text "void example" count "(void)\n{\n#line " first " \"" file "\"\n" body "}\n"
	else
		text = text "#sourceLocation(file: \"" file "\", line: " first ")\nprivate func example" count \
			"() async throws {\n" body "}\n"
	body = ""
}

BEGIN {
	mark = language == "c" ? "^ \\*" : "^ *///"
	code = language == "c" ? "^\t" : "^     "
}

FNR == 1 { flush(); file = FILENAME; may_begin = 0 }
$0 !~ mark { flush(); may_begin = language != "c"; next }
{
	line = $0
	sub(mark, "", line)
	if (line ~ code && (body != "" || may_begin)) {
		sub(code, "", line)
		if (language != "c" && line ~ /^import /) {
			imports = imports line "\n"
			line = ""
		}
		# The function's own line is the one before.
		if (body == "")
			first = language == "c" ? FNR : FNR - 1
		body = body line "\n"
	} else if (line == "" && body != "")
		body = body "\n"
	else
		flush()
	may_begin = line == ""
}

END {
	flush()
	printf "%s%s", imports, text
}
