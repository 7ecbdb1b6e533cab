import Cryptography
@testable import Effect
@testable import Lives
import NotificationStore
import Rules
import Support
import System
import Testing

@Suite("The sums of worlds whose truth is known")
struct EffectSumsTests {
    private static var isLong: Bool { ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1" }

    @Test("are those of the truth, after late, repeated, lost and recovered notifications", arguments: 0..<4)
    func truth(_ part: Int) throws {
        var generator = SeededGenerator(for: "Effect.worlds.\(part)")
        var seen: [String: Set<String>] = [:]
        for _ in 0..<(Self.isLong ? 25 : 15) {
            let world = try EffectWorld(subscribers: Self.isLong ? 100 : 12, &generator)
            let bed = try EffectBed(world)
            try bed.deliver(&generator)
            let until = Life.time(Double.random(in: 200...900, using: &generator))
            // Behind what `recover` has read, Apple has repeated what is a week old.
            let isOld = Bool.random(using: &generator)
            try bed.cover(TimeRange(from: Life.birth, to: isOld ? until - 90 * Life.day : until))
            let now = until + 168 * 3_600_000
            let found = try bed.sums(now: now)
            let expected = world.sums(now: now, notificationsUntil: until)
            let (left, right) = (found.lines, expected.lines)
            #expect(left.subtracting(right).sorted() == [])
            #expect(right.subtracting(left).sorted() == [])
            let isSame = found == expected
            #expect(isSame)
            for cell in found.experiments.flatMap(\.cells) {
                seen["arms", default: []].insert(cell.arm)
                seen["epochs", default: []].insert("\(cell.epoch)")
                for (key, values) in cell.values where key.outcome != .revenue30d {
                    seen["values", default: []].formUnion(values.keys.map { "\(key.outcome) \($0)" })
                }
            }
        }
        // Each outcome has happened and has not happened; an offer is seldom accepted just after a request.
        #expect((seen["values"]?.count ?? 0) >= 2 * (Outcome.allCases.count - 1) - 1, "\(seen)")
        #expect(seen["arms"]?.count == 7 && seen["epochs"]?.count == 2, "\(seen)")
    }

    @Test("are the same on both databases and after any order of arrival")
    func databases() throws {
        var generator = SeededGenerator(for: "Effect.databases")
        let world = try EffectWorld(subscribers: 40, &generator)
        var all: Set<EffectSums> = []
        var reports: Set<String> = []
        for database in EffectBed.Database.allCases + [.sqlite] {
            let bed = try EffectBed(world, database)
            try bed.deliver(&generator)
            all.insert(try bed.sums(now: Life.time(700)))
            reports.insert(try bed.report(now: Life.time(700)))
        }
        #expect(all.count == 1)
        #expect(reports.count == 1 && reports.first?.contains("\"kind\":\"arms\"") == true, "\(reports)")
    }
}

extension EffectSums {
    /// One text for each value, so that a difference is seen.
    var lines: Set<String> {
        var lines: Set = ["\(app) \(environment) \(now)", "\(quality)"]
        for sums in experiments {
            let name = "\(sums.experiment.kind) \(sums.experiment.rule ?? "-") \(sums.experiment.salt)"
            lines.insert("\(name) checked \(sums.checkedUnits) different \(sums.differentUnits)")
            for (arm, kinds) in sums.answers {
                lines.insert("\(name) \(arm) \(kinds.sorted { $0.key < $1.key })")
            }
            for (number, epoch) in sums.epochs.enumerated() {
                lines.insert("\(name) epoch \(number) \(epoch)")
            }
            for cell in sums.cells {
                let place = "\(name) epoch \(cell.epoch) \(cell.arm) day \(cell.day)"
                lines.insert("\(place) units \(cell.units)")
                for (key, values) in cell.values {
                    let text = values.sorted { $0.key < $1.key }.map { "\($0.key)x\($0.value)" }
                    lines.insert("\(place) \(key.outcome) \(key.currency ?? "") \(text)")
                }
            }
        }
        return lines
    }
}
