// SPDX-License-Identifier: MIT

public import Foundation

/// Whether, and over what kind of network, a target can be reached: `unknown` (-1), `notReachable` (0),
/// `reachableViaWWAN` (1) or `reachableViaWiFi` (2).
///
///     AFNetworkReachabilityManager.shared().setReachabilityStatusChange { status in
///         if status == .notReachable { print("offline") }
///     }
public typealias AFNetworkReachabilityStatus = NetworkReachabilityStatus

// The name is AFNetworking's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized text of a status, in one of the user's languages.
///
///     print(AFStringFromNetworkReachabilityStatus(.reachableViaWiFi))  // Reachable via WiFi
///
/// The keys are `Not Reachable`, `Reachable via WWAN`, `Reachable via WiFi`, and `Unknown` of the table
/// "AFNetworking". If the application has that table, its texts are used. Otherwise, this library provides them
/// in twelve languages. See <doc:Localization>.
///
/// - Parameter status: The status.
/// - Returns: The text; never empty unless the application's table says so.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
    StatusStrings.text(of: status)
}

extension NSNotification.Name {
    // The name is the one Swift gives AFNetworking's constant.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted on the main queue after ``AFNetworkReachabilityManager/networkReachabilityStatus`` was
    /// assigned and the block was called.
    ///
    /// `object` is the manager; `userInfo` has the status as an `NSNumber` under
    /// ``AFNetworkingReachabilityNotificationStatusItem``.
    public static let AFNetworkingReachabilityDidChange = NSNotification.Name(
        "com.alamofire.networking.reachability.change")
}

// The name is AFNetworking's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the status, an `NSNumber` with a raw value of ``AFNetworkReachabilityStatus``, in the `userInfo`
/// of `NSNotification.Name.AFNetworkingReachabilityDidChange`.
public let AFNetworkingReachabilityNotificationStatusItem =
    "AFNetworkingReachabilityNotificationStatusItem"

/// The texts of the statuses.
///
/// They are compiled in, since an executable that is copied without its resource bundle would lose them.
enum StatusStrings {
    /// The texts of one language, in the order of the statuses' raw values.
    struct Texts {
        private let all: [String]

        init(_ all: String...) {
            self.all = all
        }

        subscript(status: NetworkReachabilityStatus) -> String { all[status.rawValue + 1] }
    }

    /// The strings table of AFNetworking, which an application may have.
    static let table = "AFNetworking"

    /// The keys of that table.
    static let english = Texts(
        "Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi")

    /// The texts of each language, by BCP 47 tag.
    static let all: [String: Texts] = [
        "en": english,
        "zh-Hans": Texts("未知", "无法连接", "可通过蜂窝网络连接", "可通过 Wi-Fi 连接"),
        "zh-Hant": Texts("未知", "無法連線", "可透過行動網路連線", "可透過 Wi-Fi 連線"),
        "ja": Texts("不明", "接続できません", "モバイル通信で接続可能", "Wi-Fi で接続可能"),
        "ko": Texts("알 수 없음", "연결할 수 없음", "셀룰러로 연결 가능", "Wi-Fi로 연결 가능"),
        "de": Texts(
            "Unbekannt", "Nicht erreichbar", "Über Mobilfunk erreichbar", "Über WLAN erreichbar"),
        "fr": Texts(
            "Inconnu", "Injoignable", "Joignable par le réseau mobile", "Joignable par Wi-Fi"),
        "es": Texts(
            "Desconocido", "No accesible", "Accesible por la red móvil", "Accesible por Wi-Fi"),
        "it": Texts(
            "Sconosciuto", "Non raggiungibile", "Raggiungibile tramite rete cellulare",
            "Raggiungibile tramite Wi-Fi"),
        "pt": Texts(
            "Desconhecido", "Inacessível", "Acessível pela rede móvel", "Acessível por Wi-Fi"),
        "ru": Texts(
            "Неизвестно", "Недоступно", "Доступно через мобильную сеть", "Доступно через Wi-Fi"),
        "ar": Texts(
            "غير معروف", "غير قابل للوصول", "يمكن الوصول عبر شبكة الجوال", "يمكن الوصول عبر Wi-Fi"),
    ]

    /// The text from the application's table, else from this library.
    static func text(of status: NetworkReachabilityStatus) -> String {
        let languages = UserLanguages.current
        return applicationText(forKey: english[status], bundle: .main, languages: languages)
            ?? text(of: status, languages: languages)
    }

    /// The text from this library, in the first of `languages` that the library has, else in English.
    static func text(of status: NetworkReachabilityStatus, languages: [UserLanguage]) -> String {
        let tags = languages.lazy.flatMap(\.tags)
        let texts = tags.compactMap { all[$0] }.first ?? english
        return texts[status]
    }

    /// The text for `key` in the application's table "AFNetworking", if any.
    ///
    /// The languages are looked up one by one: on Linux Foundation ignores `LANG` and would use the
    /// development language.
    static func applicationText(
        forKey key: String, bundle: Bundle, languages: [UserLanguage]
    ) -> String? {
        for tag in languages.flatMap(\.tags) {
            let path = bundle.path(
                forResource: table, ofType: "strings", inDirectory: nil, forLocalization: tag)
            if let path, let text = text(forKey: key, path: path) { return text }
        }
        // For a missing key Foundation returns `value`; no table has a text of one NUL.
        let missing = "\0"
        let text = bundle.localizedString(forKey: key, value: missing, table: table)
        return text == missing ? nil : text
    }

    private static func text(forKey key: String, path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path),
            let list = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
            let table = list as? [String: Any]
        else { return nil }
        return table[key] as? String
    }
}

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
