import System
import Testing

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "is read from RFC 3339 and written back",
        arguments: [
            ("1970-01-01T00:00:00Z", Int64(0), "1970-01-01T00:00:00Z"),
            ("2026-11-21T01:52:19Z", 1_795_225_939_000, "2026-11-21T01:52:19Z"),
            ("2026-11-21T01:52:19.5Z", 1_795_225_939_500, "2026-11-21T01:52:19Z"),
            ("2026-11-21T01:52:19.123456789z", 1_795_225_939_123, "2026-11-21T01:52:19Z"),
            ("2026-11-21t03:52:19+02:00", 1_795_225_939_000, "2026-11-21T01:52:19Z"),
            ("2026-11-20T20:22:19-05:30", 1_795_225_939_000, "2026-11-21T01:52:19Z"),
            ("2000-02-29T23:59:59Z", 951_868_799_000, "2000-02-29T23:59:59Z"),
            ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59Z"),
            ("1600-03-01T00:00:00Z", -11_670_912_000_000, "1600-03-01T00:00:00Z"),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000, "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000, "9999-12-31T23:59:59Z"),
        ]
    )
    func reading(text: String, milliseconds: Int64, written: String) {
        let time = CivilTime(text)
        #expect(time?.milliseconds == milliseconds)
        #expect(time?.description == written)
        #expect(CivilTime(milliseconds: milliseconds) == time)
    }

    @Test(
        "refuses texts that are not RFC 3339 and days that do not exist",
        arguments: [
            "", "2026-11-21", "2026-11-21 01:52:19Z", "2026-11-21T01:52:19", "2026-11-21T01:52Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0200", "2026-01-01T00:00:00ZZ",
            "+026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ",
        ]
    )
    func refusing(text: String) {
        #expect(CivilTime(text) == nil)
    }

    @Test("reads back what it writes, on every day of eight hundred years")
    func everyDay() {
        var previous = CivilTime(milliseconds: -12_622_780_800_000)
        #expect(previous.description == "1570-01-01T00:00:00Z")
        for day in 1...292_194 {
            let time = CivilTime(milliseconds: -12_622_780_800_000 + Int64(day) * 86_400_000)
            let isNextDay = time.day == previous.day + 1 && time.month == previous.month
            let isNextMonth = time.day == 1 && (time.month == previous.month % 12 + 1)
            #expect(isNextDay || isNextMonth && previous.day >= 28)
            guard CivilTime(time.description) == time else {
                Issue.record("\(time) does not read back")
                return
            }
            previous = time
        }
    }
}

@Suite("Text for a terminal")
struct DisplayTextTests {
    private static let active: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
        0xFEFF...0xFEFF,
    ]

    @Test("escapes exactly the characters of the list")
    func list() {
        let found = (0...0x10FFFF).compactMap(Unicode.Scalar.init).filter(DisplayText.isActive).map(\.value)
        #expect(found == Self.active.flatMap(Array.init))
    }

    @Test(
        "writes these characters as hexadecimal numbers",
        arguments: [
            ("", ""), ("plain é \u{2063}🙂", "plain é \u{2063}🙂"), ("a\u{1B}[2J", #"a\u{1b}[2J"#),
            ("\u{FEFF}x\u{61C}", #"\u{feff}x\u{61c}"#), ("one\ntwo\r\n", #"one\u{a}two\u{d}\u{a}"#),
        ]
    )
    func escaping(text: String, expected: String) {
        #expect(DisplayText.escaped(text) == expected)
    }

    @Test("keeps line feeds on request, and no other control character")
    func lines() {
        #expect(DisplayText.escaped("one\ntwo\r\n\u{9B}", keepsLines: true) == "one\ntwo\\u{d}\n\\u{9b}")
    }
}

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

@Suite("UUIDs")
struct UUIDTests {
    @Test(
        "are read in either case and written in lower case",
        arguments: [
            ("3DB5C98D-8ACF-4E29-831E-8E1F82F9F6E9", "3db5c98d-8acf-4e29-831e-8e1f82f9f6e9"),
            ("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ]
    )
    func reading(text: String, written: String) {
        #expect(UUID(text)?.description == written)
    }

    @Test(
        "are refused in any other form",
        arguments: [
            "", "3db5c98d8acf4e29831e8e1f82f9f6e9", "{3db5c98d-8acf-4e29-831e-8e1f82f9f6e9}",
            "3db5c98d-8acf-4e29-831e-8e1f82f9f6e", "3db5c98d-8acf-4e29-831e-8e1f82f9f6e99",
            "3db5c98d-8acf-4e29-831e-8e1f82f9f6eg", "3db5c98d_8acf_4e29_831e_8e1f82f9f6e9",
            "3db5c98-d8acf-4e29-831e-8e1f82f9f6e9", "3db5c98d-8acf-4e29-831e-8e1f82f9f6é",
        ]
    )
    func refusing(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test("of version 4 are marked as such, and are new each time")
    func random() {
        let (one, other) = (UUID.random(), UUID.random())
        #expect(one != other && one.high >> 12 & 0xF == 4 && one.low >> 62 == 0b10)
    }
}
