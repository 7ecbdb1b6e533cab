import Testing
import Vocabulary

@Suite("The text of durations")
struct DurationTextTests {
    @Test(
        "has the two greatest units, rounded up to seconds",
        arguments: [
            (-5, "0 s"), (0, "0 s"), (1, "1 s"), (1000, "1 s"), (1001, "2 s"), (60_000, "1 min"),
            (200_000, "3 min 20 s"), (3_600_000, "1 h"), (3_601_000, "1 h"), (3_720_000, "1 h 2 min"),
            (86_399_001, "1 d"), (93_600_000, "1 d 2 h"), (90_000_000, "1 d 1 h"), (86_460_000, "1 d"),
            (.max, "106751991167 d 7 h"), (.min, "0 s"),
        ] as [(Int64, String)]
    )
    func text(milliseconds: Int64, text: String) {
        #expect(DurationText.of(milliseconds) == text)
    }
}
