// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AppleReachability
@testable import NetworkReachability

@Suite("Localized texts", .timeLimit(.minutes(10)))
struct LocalizationTests {
    typealias Row = (locale: String, language: String, notReachable: String)

    static let languages: [Row] = [
        ("en_US.UTF-8", "en", "Not Reachable"),
        ("zh_CN.UTF-8", "zh-Hans", "无法连接"),
        ("zh_TW.UTF-8", "zh-Hant", "無法連線"),
        ("ja_JP.eucJP", "ja", "接続できません"),
        ("ko_KR.UTF-8", "ko", "연결할 수 없음"),
        ("de_DE@euro", "de", "Nicht erreichbar"),
        ("fr_CA.UTF-8", "fr", "Injoignable"),
        ("es_MX.UTF-8", "es", "No accesible"),
        ("it_IT.UTF-8", "it", "Non raggiungibile"),
        ("pt_BR.UTF-8", "pt", "Inacessível"),
        ("ru_RU.UTF-8", "ru", "Недоступно"),
        ("ar_EG.UTF-8", "ar", "غير قابل للوصول"),
    ]

    @Test("Each of the twelve languages has four different texts")
    func complete() {
        #expect(Set(StatusStrings.all.keys) == Set(Self.languages.map(\.language)))
        for (language, texts) in StatusStrings.all {
            let all = NetworkReachabilityStatus.allCases.map { texts[$0] }
            #expect(Set(all).count == 4 && !all.contains(""), "\(language)")
        }
        let mobile = Set(StatusStrings.all.values.map { $0[.reachableViaWWAN] })
        #expect(mobile.count == 12)
    }

    @Test("English texts are AFNetworking's keys")
    func keys() {
        #expect(StatusStrings.english[.notReachable] == "Not Reachable")
        #expect(StatusStrings.english[.reachableViaWWAN] == "Reachable via WWAN")
        #expect(StatusStrings.english[.reachableViaWiFi] == "Reachable via WiFi")
        #expect(StatusStrings.english[.unknown] == "Unknown")
    }

    @Test("The environment's language is used", arguments: languages)
    func environment(row: Row) {
        let languages = UserLanguages.languages(preferred: nil, environment: ["LANG": row.locale])
        #expect(StatusStrings.text(of: .notReachable, languages: languages) == row.notReachable)
        for status in NetworkReachabilityStatus.allCases {
            #expect(
                StatusStrings.text(of: status, languages: languages)
                    == StatusStrings.all[row.language]?[status])
        }
    }

    @Test(
        "A language is read from POSIX and BCP 47 names",
        arguments: [
            ("de", ["de"]), ("de_AT.UTF-8@euro", ["de-AT", "de"]), ("PT-br", ["pt-BR", "pt"]),
            ("zh", ["zh-Hans", "zh"]), ("zh_HK", ["zh-Hant-HK", "zh-HK", "zh-Hant", "zh"]),
            ("zh-Hant", ["zh-Hant", "zh"]),
            ("zh-Hans-TW", ["zh-Hans-TW", "zh-TW", "zh-Hans", "zh"]),
            ("es-419", ["es-419", "es"]), ("sr_RS@latin", ["sr-RS", "sr"]),
        ])
    func tags(text: String, tags: [String]) {
        #expect(UserLanguage(text)?.tags == tags)
    }

    @Test(
        "Text that names no language gives none",
        arguments: ["", "C", "C.UTF-8", "POSIX", ".UTF-8", "_", "@"])
    func none(text: String) {
        #expect(UserLanguage(text) == nil)
    }

    typealias Choice = (preferred: [String]?, environment: [String: String], text: String)

    static let choices: [Choice] = [
        (nil, [:], "Unknown"),
        (nil, ["LANG": "C.UTF-8"], "Unknown"),
        (nil, ["LANG": "de_DE", "LC_ALL": ""], "Unbekannt"),
        (nil, ["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], "Inconnu"),
        (nil, ["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "it_IT"], "Sconosciuto"),
        (nil, ["LANG": "de_DE", "LANGUAGE": "tlh:sv_SE:es:fr"], "Desconocido"),
        (nil, ["LANG": "de_DE", "LANGUAGE": "tlh"], "Unbekannt"),
        (nil, ["LANG": "C", "LANGUAGE": "de"], "Unknown"),
        (nil, ["LANGUAGE": "de"], "Unknown"),
        (nil, ["LANG": "sv_SE.UTF-8"], "Unknown"),
        (["ko", "de"], ["LANG": "fr_FR"], "알 수 없음"),
        ([], ["LANG": "fr_FR"], "Inconnu"),
        (["sv"], ["LANG": "fr_FR"], "Unknown"),
    ]

    @Test("The user's languages are tried in order, English last", arguments: choices)
    func choice(row: Choice) {
        let languages = UserLanguages.languages(
            preferred: row.preferred, environment: row.environment)
        #expect(StatusStrings.text(of: .unknown, languages: languages) == row.text)
    }

    // MARK: The application's table

    /// The text of the table in a bundle with these files.
    func application(
        _ files: [String: String], languages: [String], key: String = "Unknown"
    ) throws -> String? {
        let folder = try Folder("bundle")
        for (path, text) in files {
            let file = folder.file(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: false, encoding: .utf8)
        }
        let bundle = try #require(Bundle(url: folder.url))
        return StatusStrings.applicationText(
            forKey: key, bundle: bundle, languages: languages.compactMap { UserLanguage($0) })
    }

    @Test("The application's table takes precedence, in the order of the user's languages")
    func tables() throws {
        let files = [
            "de.lproj/AFNetworking.strings": #""Unknown" = "Weiß nicht";"#,
            "pt-BR.lproj/AFNetworking.strings": #""Unknown" = "Sei lá";"#,
            "en.lproj/AFNetworking.strings": #""Unknown" = "No idea";"#,
        ]
        #expect(try application(files, languages: ["de_AT"]) == "Weiß nicht")
        #expect(try application(files, languages: ["sv", "pt_BR"]) == "Sei lá")
        #expect(try application(files, languages: ["fr"]) == "No idea")
        #expect(try application(files, languages: ["de"], key: "Not Reachable") == nil)
    }

    @Test("A table without a language applies to all languages")
    func unlocalised() throws {
        let files = ["AFNetworking.strings": #""Unknown" = "?";"#]
        #expect(try application(files, languages: ["de"]) == "?")
        #expect(try application(files, languages: []) == "?")
    }

    @Test(
        "A table that is missing, empty, broken, or named differently changes nothing",
        arguments: [
            [:], ["de.lproj/AFNetworking.strings": ""],
            ["de.lproj/AFNetworking.strings": "\"Unknown\" = "],
            ["de.lproj/AFNetworking.strings": "\u{0}\u{1}"],
            ["de.lproj/Localizable.strings": #""Unknown" = "X";"#],
        ])
    func brokenTables(files: [String: String]) throws {
        #expect(try application(files, languages: ["de"]) == nil)
    }

    // MARK: A program

    @Test("A program prints the texts in its user's language", arguments: languages)
    func program(row: Row) throws {
        let lines = try consumerLines(locale: row.locale)
        let texts = try #require(StatusStrings.all[row.language])
        #expect(
            lines == [
                texts[.notReachable], texts[.reachableViaWWAN], texts[.reachableViaWiFi],
                texts[.unknown], "\(texts[.reachableViaWiFi]) 2", "ReachableViaWiFi WiFi",
            ])
    }

    @Test("The argument -AppleLanguages sets the language of a program")
    func argument() throws {
        let lines = try consumerLines(
            locale: "de_DE.UTF-8", arguments: ["-AppleLanguages", "(\"fr-CH\", \"de\")"])
        #expect(lines.first == "Injoignable")
    }
}
