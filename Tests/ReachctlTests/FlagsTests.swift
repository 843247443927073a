// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("reachctl flags", .blocking, .timeLimit(.minutes(10)))
struct FlagsTests {
    /// Rows of flags.csv: flags, three statuses, letters of the sample, letters of the wrappers, words.
    static let rows: [[String]] = {
        let url = Vectors.url("flags.csv")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: ",", maxSplits: 6).map(String.init)
            return fields.dropLast() + [fields[6].trimmingCharacters(in: ["\"", "\r"])]
        }
    }()

    @Test(
        "Every row of the table is printed, whichever of its forms is given",
        arguments: [0, 4, 5, 6])
    func table(column: Int) throws {
        #expect(Self.rows.count == 512)
        let result = try Tool.run(["flags", "--json"] + Self.rows.map { $0[column] })
        #expect(result.status == 0)
        let objects = try result.objects()
        #expect(objects.count == 512)
        for (row, object) in zip(Self.rows, objects) {
            #expect(object["flags"] as? Int == Int(row[0].dropFirst(2), radix: 16))
            #expect(object["status"] as? String == row[1])
            #expect(object["letters"] as? String == row[4])
            #expect(object["words"] as? String == row[6])
        }
    }

    @Test(
        "Text output is the words, after the value if there are several",
        arguments: [
            (["2"], "Reachable\n"), (["0"], "Not Reachable\n"), (["0x200"], "0x00000200\n"),
            (["reachable,wwan"], "Reachable,WWAN\n"),
            (["Reachable,0x200"], "Reachable,0x00000200\n"),
            (["3", "0x4"], "3\tReachable,Transient Connection\n0x4\tConnection Required\n"),
        ])
    func text(values: [String], expected: String) throws {
        let result = try Tool.run(["flags"] + values)
        #expect(result.output == expected)
        #expect(result.status == 0)
    }

    @Test(
        "Text that is not a flags word is bad usage",
        arguments: [
            "x", "", "0x", "4294967296", "-1", "+1", "0x+1", "1 ", "WR tcCiDl", "WR tcCiDld-",
            "RW -------",
            "Reachable,", "Reachable,,WWAN", "--jsn",
        ])
    func bad(value: String) throws {
        let result = try Tool.run("flags", value)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("'\(value)'"))
    }
}
