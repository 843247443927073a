// SPDX-License-Identifier: MIT

/// Rewrites a message of ArgumentParser in the tool's style: one clause, lowercase, no full stop.
///
/// The result quotes the user's words unescaped, so the caller escapes them.
func retold(_ message: String) -> String {
    let text = message.split(separator: "\n")
        .map { String($0.drop(while: \.isWhitespace)) }.joined(separator: " ")
    let contradiction = /Value to be set with flag (.+) had already been set with flag (.+)/
    if let match = text.wholeMatch(of: contradiction) {
        return "\(match.2) and \(match.1) contradict each other; give one"
    }
    var clause = text[...]
    for (old, new) in [
        (". Did you mean", "; did you mean"), (". Please provide one of", "; give one of"),
        (". Please use", "; use"), (" or: Missing", " or missing"),
        (", but '", ", and '"), ("' was specified", "' is given"),
        ("Missing expected argument", "missing argument"),
    ] {
        clause = clause.replacing(old, with: new)[...]
    }
    if clause.last == "." { clause.removeLast() }
    return clause.prefix(1).lowercased() + clause.dropFirst()
}
