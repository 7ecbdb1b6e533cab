import AppStoreServerAPI
import System
import Testing

@Suite("The locales of the App Store")
struct AppStoreLocalesTests {
    @Test("are the 50 of Apple's table, each spelled as a device spells it")
    func table() {
        #expect(AppStoreLocales.all.count == 50 && Set(AppStoreLocales.all).count == 50)
        #expect(AppStoreLocales.all.sorted() == AppStoreLocales.all)
        for locale in AppStoreLocales.all {
            #expect(LocaleSpelling.isCanonical(locale), "\(locale)")
            #expect(AppStoreLocales.suggestion(for: locale) == locale)
        }
    }

    @Test(
        "are suggested for the locales of other systems",
        arguments: [
            ("en-UK", "en-GB"), ("ja-JP", "ja"), ("ko-KR", "ko"), ("it-IT", "it"), ("zh-CN", "zh-Hans"),
            ("zh-TW", "zh-Hant"), ("zh-Hant-HK", "zh-Hant"), ("zh-Hans-CN", "zh-Hans"), ("es-419", "es-MX"),
            ("de", "de-DE"), ("de-AT", "de-DE"), ("pt", "pt-PT"), ("nb-NO", "no"), ("iw-IL", "he"),
            ("sv-SE", "sv"),
            ("en", "en-US"), ("fr", "fr-FR"), ("nl", "nl-NL"),
        ]
    )
    func suggestions(locale: String, meant: String) {
        #expect(AppStoreLocales.suggestion(for: locale) == meant)
    }

    @Test(
        "are not guessed where none is near",
        arguments: ["fr-BE", "en-IN", "es-AR", "xx", "eu-ES", "pt-AO"]
    )
    func unknown(locale: String) {
        #expect(AppStoreLocales.suggestion(for: locale) == nil)
    }
}
