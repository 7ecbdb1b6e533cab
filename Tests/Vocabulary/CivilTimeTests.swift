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
