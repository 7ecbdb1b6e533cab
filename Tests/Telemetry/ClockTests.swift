import System
import Testing

@testable import Telemetry

@Suite("The watch over the clock")
struct ClockTests {
    @Test("tells a jump of a second or more once, forwards and backwards")
    func jumps() {
        var watch = ClockWatch()
        let rows: [(wall: Int64, monotonic: Int64, jump: Int64?)] = [
            (1_000_000, 5_000, nil), (1_002_000, 7_000, nil), (1_004_999, 9_000, nil),
            (1_007_999, 11_000, 1_000), (1_009_999, 13_000, nil), (1_000_000, 15_000, -11_999),
            (1_002_000, 17_000, nil), (9_002_000, 18_000, 7_999_000),
            // A supervisor that stood still for an hour sees no jump.
            (12_602_000, 3_618_000, nil),
        ]
        for (wall, monotonic, jump) in rows {
            let found = watch.look(wall: wall, monotonic: monotonic, offset: nil)
            #expect(found == (jump.map { [.jumped($0)] } ?? []), "\(wall)")
        }
    }

    @Test("tells an offset of more than 5 seconds, once an hour")
    func offsets() {
        for (offset, warning) in [
            (5_000, nil), (-5_000, nil), (5_001, .behind(5_001)), (-5_001, .ahead(-5_001)),
        ] as [(Int64, ClockWarning?)] {
            var watch = ClockWatch()
            let found = watch.look(wall: 0, monotonic: 0, offset: offset)
            #expect(found == (warning.map { [$0] } ?? []), "\(offset)")
        }
        var watch = ClockWatch(latestMilliseconds: 60_000)
        func look(_ time: Int64, _ offset: Int64) -> [ClockWarning] {
            watch.look(wall: time, monotonic: time, offset: offset)
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
        func note(_ offset: Int64) {
            worker.note(clockOffset: offset)
            list.note(offset)
            #expect(supervisor.clockOffset == list.median)
        }
        for _ in 0..<15 { note(-100) }
        #expect(supervisor.clockOffset == nil)
        note(.max)
        #expect(supervisor.clockOffset == -100)
        for offset in 0..<1_000 as Range<Int64> { note(offset) }
        #expect(supervisor.clockOffset == 968)
        supervisor.forgetClockOffsets()
        list.forget()
        #expect(supervisor.clockOffset == nil && list.median == nil)
        for _ in 0..<16 { note(7) }
        #expect(worker.clockOffset == 7)
    }
}
