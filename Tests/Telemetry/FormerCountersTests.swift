import Support
import System
import Testing

@testable import Telemetry

@Suite("The counters of a program that has other counters")
struct FormerCountersTests {
    /// The codes of the older program. The newer one has its codes in other places, and so all other counters, too.
    private static let older = ["gone", "kept", "also-kept"]
    private static let newer = ["also-kept", "new", "kept"]

    private static func former(_ counters: SharedCounters) throws -> FormerCounters {
        let original = FileDescriptor(takingOwnership: counters.descriptorNumber)
        let copy = try original.duplicate()
        _ = original.release()
        return try FormerCounters(inheriting: copy)
    }

    @Test("still show their instance and their last number")
    func former() throws {
        let counters = try SharedCounters(codes: Self.older, startedAt: 77, instance: 0xAB)
        let former = try Self.former(counters)
        #expect(former.instance == "00000000000000ab" && former.lastSequence == 0)
        #expect(former.startedMilliseconds == 77)
        for _ in 1...3 { _ = counters.takeSequence() }
        #expect(former.lastSequence == 3)
        let small = try SharedCounterMemory(count: 4, name: "test")
        #expect(throws: TelemetryError.layoutMismatch) {
            _ = try FormerCounters(inheriting: small.descriptor.duplicate())
        }
        let pipe = try FileDescriptor.pipe()
        #expect(throws: TelemetryError.layoutMismatch) {
            _ = try FormerCounters(inheriting: pipe.reading.duplicate())
        }
    }

    @Test("are carried by their names, and later counts are added once")
    func carrying() throws {
        let old = try SharedCounters(codes: Self.older, startedAt: 0)
        let former = try Self.former(old)
        let new = try SharedCounters(codes: Self.newer, startedAt: former.startedMilliseconds)
        for round: UInt64 in 1...3 {
            Self.count(in: old)
            if round == 2 { new.add(.requests, 1000) }
            former.carry(to: new)
            former.carry(to: new)
            let own: UInt64 = round >= 2 ? 1000 : 0
            for (index, counter) in Counter.allCases.enumerated() {
                let expected = UInt64(index + 1) * round + (counter == .requests ? own : 0)
                #expect(new.value(counter) == expected, "\(counter)")
            }
            #expect(
                new.codes.map { "\($0.code) \($0.count)" } == [
                    "also-kept \(3 * round)", "new 0", "kept \(2 * round)", "other \(round + round)",
                ]
            )
            #expect(new.latency == old.latency && new.latency(of: .send) == old.latency(of: .send))
            #expect(new.latency(of: .send).count == round && new.latency.count == 2 * round)
            #expect(new.value(.busError) == 5 * round && new.value(LostWorker.none) == 0)
            let rows = new.decisionRows.map { "\($0.key.rule) \($0.key.arm) \($0.served) \($0.passedOver)" }
            #expect(rows.sorted() == ["r a \(4 * round) 0", "r  \(round) \(6 * round)"].sorted())
        }
    }

    private static func count(in counters: SharedCounters) {
        for (index, counter) in Counter.allCases.enumerated() { counters.add(counter, UInt64(index + 1)) }
        for (index, code) in older.enumerated() { for _ in 0...index { counters.add(code: code) } }
        counters.add(code: "never-heard-of")
        counters.observe(nil, nanoseconds: 1)
        counters.observe(nil, nanoseconds: 3_000_000_000)
        counters.observe(.send, nanoseconds: 4_000_000)
        for _ in 1...5 { counters.add(.busError) }
        for (arm, amount) in [("", 1), ("a", 4)] as [(String, UInt64)] {
            let key = DecisionRowKey(appAppleId: 7, environment: "Sandbox", rule: "r", arm: arm)
            guard let row = counters.claimDecisionRow(key) else { continue }
            counters.addDecision(row: row, reason: 3, amount)
            if arm.isEmpty { counters.addPassedOver(row: row, 6) }
        }
    }

    @Test("leave their gauges and the last load to the newer program, which changes them from then on")
    func gauges() throws {
        let old = try SharedCounters(codes: Self.older, startedAt: 0)
        let load = LastReload(endedMilliseconds: 8, refusalCode: "data-file.truncated")
        old.setLastReload(load)
        for (index, gauge) in Gauge.allCases.enumerated() { old.set(gauge, to: UInt64(index + 1)) }
        let former = try Self.former(old)
        let new = try SharedCounters(codes: Self.newer, startedAt: 0)
        former.carry(to: new)
        #expect(Gauge.allCases.map { new.highest($0) } == Gauge.allCases.indices.map { UInt64($0 + 1) })
        #expect(new.lastReload == load)
        new.set(.crashLoop, to: 0)
        new.setLastReload(LastReload(endedMilliseconds: 9, refusalCode: nil))
        former.carry(to: new)
        #expect(new.highest(.crashLoop) == 0 && new.lastReload?.endedMilliseconds == 9)
    }

    /// Texts of a directory, and what a newer program carries from a memory in which every word is 5.
    private static let directories: [(text: String, carried: UInt64)] = [
        ("counter requests\t9\t1\n", 5), ("counter requests\t9\t1", 5), ("", 0), ("\n\t\n\t\t\n", 0),
        ("counter requests\t9\t2\n", 0), ("counter requests\t9\t0\n", 0), ("counter requests\t-1\t1\n", 0),
        ("counter requests\t4999\t1\n", 5), ("counter requests\t5000\t1\n", 0),
        ("counter requests\t9\t9223372036854775807\n", 0), ("counter requests\t9\t1\t1\n", 0),
        ("counter requests\t9223372036854775808\t1\n", 0), ("Counter requests\t9\t1\n", 0),
        ("counter new_requests\t9\t1\n", 0), ("\u{0}\u{1}\t9\t1\ncounter requests\t9\t1\n", 5),
        ("decisions 272 16\t4990\t10\n", 0), ("last reload 8\t4000\t10\ngauge loaded at\t4999\t2\n", 0),
    ]

    @Test("are read with care: no text in place of the names leads beyond the memory")
    func hostileDirectories() throws {
        for (text, carried) in Self.directories {
            let new = try SharedCounters(codes: [], startedAt: 0)
            try Self.former(text: text).carry(to: new)
            #expect(new.value(.requests) == carried, "\(text)")
        }
        for (place, mark, byteCount) in [
            (5000, nil, 0), (4999, nil, 0), (4998, nil, 0), (.max, nil, 0), (100, 1, 0), (100, nil, .max),
            (100, nil, 32_769), (4900, nil, 784), (0, nil, 0),
        ] as [(UInt64, UInt64?, UInt64)] {
            let new = try SharedCounters(codes: [], startedAt: 0)
            try Self.former(text: "counter requests\t9\t1", at: place, mark: mark, byteCount: byteCount)
                .carry(to: new)
            #expect(new.value(.requests) == 0, "\(place)")
        }
    }

    /// Counters of 5,000 words that are all 5 but for a directory with this text.
    private static func former(
        text: String,
        at place: UInt64 = 100,
        mark: UInt64? = nil,
        byteCount: UInt64? = nil
    ) throws -> FormerCounters {
        let memory = try SharedCounterMemory(count: 5000, name: "test")
        for word in 0..<5000 { memory.store(5, at: word) }
        memory.store(place, at: CounterLayout(codes: []).directoryWord)
        if place < 4990 {
            let start = Int(place)
            memory.store(mark ?? CounterDirectory.mark, at: start)
            memory.store(byteCount ?? UInt64(text.utf8.count), at: start + 1)
            var words = [UInt64](repeating: 0, count: text.utf8.count / 8 + 1)
            for (index, byte) in text.utf8.enumerated() {
                words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
            }
            for (index, word) in words.enumerated() where start + 2 + index < 5000 {
                memory.store(word, at: start + 2 + index)
            }
        }
        return try FormerCounters(inheriting: memory.descriptor.duplicate())
    }
}
