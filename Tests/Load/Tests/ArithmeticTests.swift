@testable import HTTPLoad
import Support
import Testing

@Suite("The arithmetic of a load client")
struct ArithmeticTests {
    @Test("a histogram agrees with the sorted list to a thousandth")
    func percentiles() {
        var random = SeededGenerator(for: "figures: latencies")
        for magnitude in [10, 2000, 5000, 1_000_000, 60_000_000_000] as [UInt64] {
            var histogram = LoadHistogram()
            var all: [UInt64] = []
            for _ in 0..<1000 {
                let value = UInt64.random(in: 0...magnitude, using: &random)
                histogram.record(nanoseconds: value)
                all.append(value)
            }
            all.sort()
            #expect(histogram.count == 1000)
            #expect(histogram.nanoseconds(at: 1) == all[999])
            for part in [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.998] {
                let exact = all[Int(part * 1000)]
                let found = histogram.nanoseconds(at: part)
                #expect(found <= exact && exact - found <= exact / 1000, "\(part) of \(magnitude)")
            }
        }
    }

    @Test("a histogram has a place for every latency, in order")
    func extremes() {
        var previous: UInt64 = 0
        for value in (0..<64).flatMap({ [UInt64(1) << $0, (UInt64(1) << $0) + ((UInt64(1) << $0) - 1)] }) {
            var histogram = LoadHistogram()
            histogram.record(nanoseconds: value)
            histogram.record(nanoseconds: .max)
            #expect(histogram.nanoseconds(at: 0) >= previous)
            #expect(histogram.nanoseconds(at: 1) == .max)
            previous = histogram.nanoseconds(at: 0)
        }
        #expect(LoadHistogram().nanoseconds(at: 0.5) == 0)
    }

    @Test("histograms that were written as text and added up have the percentiles of all latencies")
    func pooled() throws {
        var random = SeededGenerator(for: "figures: pooled latencies")
        var (whole, sum) = (LoadHistogram(), LoadHistogram())
        for part in 0..<3 {
            var histogram = LoadHistogram()
            for _ in 0..<500 * part {
                let value = UInt64.random(in: 0...5_000_000, using: &random) >> UInt64(part)
                histogram.record(nanoseconds: value)
                whole.record(nanoseconds: value)
            }
            sum.add(try #require(LoadHistogram(text: histogram.text + "\n")))
        }
        #expect(sum.count == 1500 && sum.largest == whole.largest && sum.text == whole.text)
        for part in [0, 0.5, 0.99, 1] {
            #expect(sum.nanoseconds(at: part) == whole.nanoseconds(at: part), "\(part)")
        }
    }

    @Test(
        "a text that is not of a histogram is refused",
        arguments: [
            "", "x", "-1", "5", "5 1", "5 1:", "5 1:0", "5 1:-1", "5 1:2 1:2", "5 9999999:1", "5 1:2:3",
        ]
    )
    func strangeTexts(text: String) {
        #expect(LoadHistogram(text: text) == nil)
    }

    private static func schedule(_ change: (inout LoadPlan) -> Void) -> LoadSchedule {
        let plan = LoadPlan(port: 1, connections: 1, requests: [[UInt8]]()).with(change)
        return LoadSchedule(plan, start: 1_000_000_000_000)
    }

    @Test("in an open loop, a second rate follows the schedule")
    func calm() {
        let schedule = Self.schedule {
            $0.ratePerSecond = 4
            $0.seconds = 1
            $0.calmRatePerSecond = 2
            $0.calmSeconds = 1.5
            $0.overrunSeconds = 1
        }
        let start: UInt64 = 1_000_000_000_000
        let due = (0..<9).map { schedule.dueTime(ofRequest: $0, now: start).map { $0 - start } }
        let milliseconds: [UInt64?] = [0, 250, 500, 750, 1_000, 1_500, 2_000, nil, nil]
        #expect(due == milliseconds.map { $0.map { $0 * 1_000_000 } })
        #expect(schedule.dueTime(ofRequest: 6, now: start + 3_499_999_999) != nil)
        #expect(schedule.dueTime(ofRequest: 6, now: start + 3_500_000_000) == nil)
        for (now, count) in [(0, 0), (1, 1), (999_999_999, 4), (1_000_000_000, 4), (1_000_000_001, 5)] {
            #expect(schedule.unsentCount(begun: 0, now: start + UInt64(now)) == count, "\(now)")
        }
        #expect(schedule.unsentCount(begun: 2, now: start + 9_000_000_000) == 5)
    }

    @Test("in an open loop, the number of a request alone says when it is due")
    func openLoop() {
        let schedule = Self.schedule {
            $0.ratePerSecond = 4
            $0.seconds = 1
            $0.overrunSeconds = 2
        }
        let start: UInt64 = 1_000_000_000_000
        for now in [start, start + 2_999_999_999] {
            let due = (0..<6).map { schedule.dueTime(ofRequest: $0, now: now).map { $0 - start } }
            #expect(due == [0, 250_000_000, 500_000_000, 750_000_000, nil, nil])
        }
        #expect(schedule.dueTime(ofRequest: 0, now: start + 3_000_000_000) == nil)
        #expect(schedule.unsentCount(begun: 4, now: start + 5_000_000_000) == 0)
        #expect(schedule.unsentCount(begun: 1, now: start + 5_000_000_000) == 3)
        #expect(schedule.unsentCount(begun: 1, now: start + 300_000_000) == 1)
        #expect(
            Self.schedule {
                $0.ratePerSecond = 4; $0.requestLimit = 2
            }.unsentCount(begun: 1, now: .max / 2) == 1
        )
    }

    @Test("a closed loop sends at once until its time or its number of requests is over")
    func closedLoop() {
        let schedule = Self.schedule {
            $0.seconds = 1
            $0.requestLimit = 10
            $0.overrunSeconds = 2
        }
        let start: UInt64 = 1_000_000_000_000
        #expect(schedule.dueTime(ofRequest: 9, now: start + 7) == start + 7)
        #expect(schedule.dueTime(ofRequest: 10, now: start + 7) == nil)
        #expect(schedule.dueTime(ofRequest: 0, now: start + 1_000_000_000) == nil)
        #expect(schedule.unsentCount(begun: 0, now: start + 7) == 0)
    }

    @Test("idle connections come out in ascending order, busy connections in the order of their requests")
    func sets() {
        var idle = IdleConnections(limit: 130)
        for number in [129, 3, 64, 3, 127] { idle.insert(number) }
        #expect(idle.count == 4)
        #expect((0..<5).map { _ in idle.removeFirst() } == [3, 64, 127, 129, nil])
        #expect(idle.isEmpty)

        var busy = BusyConnections(limit: 5)
        for number in [4, 0, 2, 1] { busy.append(number) }
        busy.remove(0)
        busy.remove(4)
        busy.remove(1)
        busy.append(0)
        var order: [Int] = []
        while let first = busy.first {
            order.append(first)
            busy.remove(first)
        }
        #expect(order == [2, 0])
        #expect(busy.count == 0)
    }
}
