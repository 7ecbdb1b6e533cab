/// The locales of Apple's table "App Store localizations", to which the type `locale` of the Retention Messaging API refers.
///
/// Whether Apple's server takes a locale that is not in the table is not documented, so such a locale is a warning.
package enum AppStoreLocales {
    /// The locales, in Apple's order.
    package static let all = [
        "ar-SA", "bn-BD", "ca", "cs", "da", "de-DE", "el", "en-AU", "en-CA", "en-GB", "en-US", "es-ES",
        "es-MX", "fi",
        "fr-CA", "fr-FR", "gu-IN", "he", "hi", "hr", "hu", "id", "it", "ja", "kn-IN", "ko", "ml-IN", "mr-IN",
        "ms",
        "nl-NL", "no", "or-IN", "pa-IN", "pl", "pt-BR", "pt-PT", "ro", "ru", "sk", "sl-SI", "sv", "ta-IN",
        "te-IN", "th",
        "tr", "uk", "ur-PK", "vi", "zh-Hans", "zh-Hant",
    ]

    /// The spellings of other systems for locales of the table, where the language alone does not say which locale is meant.
    private static let others = [
        "en-UK": "en-GB", "en": "en-US", "es": "es-ES", "es-419": "es-MX", "es-US": "es-MX", "fr": "fr-FR",
        "pt": "pt-PT", "zh": "zh-Hans", "zh-CN": "zh-Hans", "zh-SG": "zh-Hans", "zh-TW": "zh-Hant",
        "zh-HK": "zh-Hant",
        "zh-MO": "zh-Hant", "nb": "no", "nn": "no", "nb-NO": "no", "nn-NO": "no", "iw": "he", "iw-IL": "he",
        "in": "id",
        "in-ID": "id",
    ]

    /// Returns the locale of the table that may be meant by `locale`, or nil when none is near. A locale of the table is
    /// returned as it is.
    package static func suggestion(for locale: String) -> String? {
        guard !all.contains(locale) else { return locale }
        if let known = others[locale] { return known }
        let language = locale.prefix { $0 != "-" }
        if language == "zh" {
            return all.first { locale.hasPrefix($0) }
        }
        let same = all.filter { $0.prefix { $0 != "-" } == language }
        return same.count == 1 ? same[0] : nil
    }
}
