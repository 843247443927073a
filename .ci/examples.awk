# SPDX-License-Identifier: MIT
# Extracts the examples from the doc comments of Swift sources: blocks indented by four spaces, after
# an empty line or at the start of a comment. Each becomes the body of a function that refers to its
# file and line. Imports move to the top. With -v language=c, the examples of C headers: blocks
# indented by a tab. A block without a ";" at the end of a line is a table, not an example.
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
		# In Swift, #sourceLocation numbers the func line, one line before the body.
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
