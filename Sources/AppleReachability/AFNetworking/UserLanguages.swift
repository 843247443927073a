// SPDX-License-Identifier: MIT

internal import Foundation

/// One of the user's preferred languages.
struct UserLanguage: Equatable {
    /// BCP 47 tags to look up, most specific first: `["pt-BR", "pt"]`.
    let tags: [String]

    /// Parses a language; nil for none (`C`, `POSIX`).
    ///
    /// - Parameter text: A POSIX locale such as `zh_TW.UTF-8@euro`, or a BCP 47 tag such as `zh-Hant-TW`.
    init?(_ text: some StringProtocol) {
        let name = text.prefix { $0 != "." && $0 != "@" }
        let parts = name.split { $0 == "_" || $0 == "-" }.map { $0.lowercased() }
        guard let language = parts.first, language != "c", language != "posix" else { return nil }
        let subtags = parts.dropFirst()
        let region = subtags.first { $0.count == 2 || ($0.count == 3 && Int($0) != nil) }?
            .uppercased()
        var script = subtags.first { $0.count == 4 }?.capitalized
        if language == "zh", script == nil {
            script = region.map(Self.traditional.contains) == true ? "Hant" : "Hans"
        }
        var all: [String] = []
        if let region {
            if let script { all.append("\(language)-\(script)-\(region)") }
            all.append("\(language)-\(region)")
        }
        if let script { all.append("\(language)-\(script)") }
        tags = all + [language]
    }

    /// Regions where Chinese is written in traditional characters.
    private static let traditional: Set<String> = ["TW", "HK", "MO"]
}

/// The user's preferred languages, in order.
enum UserLanguages {
    /// The languages of this process.
    static var current: [UserLanguage] {
        languages(
            preferred: UserDefaults.standard.stringArray(forKey: "AppleLanguages"),
            environment: ProcessInfo.processInfo.environment)
    }

    /// The languages from user defaults or environment.
    ///
    /// - Parameters:
    ///   - preferred: `AppleLanguages` of the user defaults. The application sets it, or its
    ///     argument `-AppleLanguages '("de")'`.
    ///   - environment: The environment, read by gettext's rule: the first non-empty one of
    ///     `LC_ALL`, `LC_MESSAGES`, and `LANG` is the language. Unless that is `C`, the list in
    ///     `LANGUAGE` comes before it.
    /// - Returns: The languages; empty without a preference.
    static func languages(
        preferred: [String]?, environment: [String: String]
    ) -> [UserLanguage] {
        if let preferred, !preferred.isEmpty { return preferred.compactMap { UserLanguage($0) } }
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale, let language = UserLanguage(locale) else { return [] }
        let list = environment["LANGUAGE"]?.split(separator: ":") ?? []
        return list.compactMap { UserLanguage($0) } + [language]
    }
}
