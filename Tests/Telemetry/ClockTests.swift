@testable import Pool
import System
import Testing

@Suite("The watch over the clock")
struct ClockTests {
    @Test("tells a jump of more than a leap second once, forwards and backwards")
    func jumps() {
        var watch = ClockWatch()
        let rows: [(wall: Int64, boot: Int64, jump: Int64?)] = [
            (1_000_000, 5_000, nil), (1_002_000, 7_000, nil), (1_005_499, 9_000, nil),
            (1_008_999, 11_000, 1_500), (1_010_999, 13_000, nil), (1_001_000, 15_000, -11_999),
            (1_003_000, 17_000, nil), (9_003_000, 18_000, 7_999_000),
            // A supervisor that stood still for an hour, or slept with the machine, sees no jump.
            (12_603_000, 3_618_000, nil),
            // At a leap second the clock is set back by a second.
            (12_604_000, 3_620_000, nil),
        ]
        for (wall, boot, jump) in rows {
            let found = watch.look(wall: wall, boot: boot, offset: nil)
            #expect(found == (jump.map { [.jumped($0)] } ?? []), "\(wall)")
        }
    }

    @Test("tells an offset of more than 5 seconds, once an hour")
    func offsets() {
        for (offset, warning) in [
            (5_000, nil), (-5_000, nil), (5_001, .behind(5_001)), (-5_001, .ahead(-5_001)),
        ] as [(Int64, ClockWarning?)] {
            var watch = ClockWatch()
            let found = watch.look(wall: 0, boot: 0, offset: offset)
            #expect(found == (warning.map { [$0] } ?? []), "\(offset)")
        }
        var watch = ClockWatch(latestMilliseconds: 60_000)
        func look(_ time: Int64, _ offset: Int64) -> [ClockWarning] {
            watch.look(wall: time, boot: time, offset: offset)
        }
        #expect(look(0, -60_000).isEmpty && look(1, -60_001) == [.ahead(-60_001)])
        #expect(look(3_600_000, 9_000).isEmpty && look(3_600_001, 9_000) == [.behind(9_000)])
        let codes = [ClockWarning.jumped(1), .behind(1), .ahead(1)].map(\.code)
        #expect(codes == ["clock-jumped", "clock-behind", "clock-ahead"])
    }

    @Test("knows the median of the latest 64 offsets of all processes, from 16 on")
    func median() throws {
        let supervisor = try SharedCounters(codes: SharedCountersTests.codes, startedAt: 0)
        let worker = try SharedCountersTests.share(supervisor)
        var list = ClockOffsets()
        var now: Int64 = 5_000_000_000_000
        var median: Int64? { supervisor.clockOffset(atMilliseconds: now) }
        func note(_ offset: Int64) {
            worker.note(clockOffset: offset, atMilliseconds: now)
            list.note(offset, atMilliseconds: now)
            #expect(median == list.median(atMilliseconds: now))
        }
        for _ in 0..<15 { note(-100) }
        #expect(median == nil)
        note(.max)
        #expect(median == -100)
        for offset in 0..<1_000 as Range<Int64> { note(offset) }
        #expect(median == 968)
        supervisor.forgetClockOffsets()
        list.forget()
        #expect(median == nil && list.median(atMilliseconds: now) == nil)
        for _ in 0..<16 { note(7) }
        #expect(worker.clockOffset(atMilliseconds: now) == 7)
        // Offsets of more than a day ago no longer count.
        now += 86_400_000
        for _ in 0..<15 { note(-9_000) }
        #expect(median == 7)
        now += 1_000
        #expect(median == nil && list.median(atMilliseconds: now) == nil)
        note(-9_000)
        #expect(median == -9_000 && list.median(atMilliseconds: now) == -9_000)
    }
}
