import System
import Testing

@Suite("The spelling of locales")
struct LocaleSpellingTests {
    @Test("is the one of devices, and it is known how another spelling was meant")
    func locales() {
        for good in ["en", "en-US", "es-419", "zh-Hans", "zh-Hant-HK", "ca", "fil-PH"] {
            #expect(LocaleSpelling.isCanonical(good), "\(good)")
        }
        let bad = [
            "en_US": "en-US", "EN-us": "en-US", "zh-hans-cn": "zh-Hans-CN", "pt_br": "pt-BR", "e": nil,
            "": nil,
            "en-": nil, "en-US-": nil, "english-US": nil, "en US": nil, "ёё": nil,
        ]
        for (text, meant) in bad {
            #expect(!LocaleSpelling.isCanonical(text), "\(text)")
            #expect(LocaleSpelling.canonical(text) == meant, "\(text)")
        }
    }
}
