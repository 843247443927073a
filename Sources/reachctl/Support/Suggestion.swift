// SPDX-License-Identifier: MIT

/// The candidate that `word` was probably meant to be; nil if there is none.
///
/// It is the only candidate that begins with `word`. Otherwise it is the nearest one, if it differs
/// by one edit or by at most one edit per three characters.
func nearest(to word: String, among candidates: [String]) -> String? {
    let begun = candidates.filter { $0.hasPrefix(word) }
    if begun.count == 1 { return begun[0] }
    let nearest = candidates.map { (name: $0, distance: editDistance(word, $0)) }
        .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= max(1, nearest.name.count / 3) else { return nil }
    return nearest.name
}

/// The optimal string alignment distance: insertions, deletions, replacements, and swaps of neighbors.
private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var rows = [Array(0...right.count)]
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            let replaced = rows[i][j] + (left[i] == right[j] ? 0 : 1)
            var best = min(rows[i][j + 1] + 1, row[j] + 1, replaced)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                best = min(best, rows[i - 1][j - 1] + 1)
            }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
