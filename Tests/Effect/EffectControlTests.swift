import Cryptography
@testable import Effect
@testable import Lives
import NotificationStore
import Rules
import Support
import Testing

@Suite("A report withholds its verdicts and says why")
struct EffectControlTests {
    private static func report(_ bed: EffectBed, now: Int64 = Life.time(5_000)) throws -> EffectReport {
        EffectReport(try bed.sums(now: now), EffectReport.Options())
    }

    /// Returns the problems of the experiments, and checks that none of them has a verdict.
    private static func problems(_ report: EffectReport) -> [Experiment.Kind: [String]] {
        var found: [Experiment.Kind: [String]] = [:]
        for experiment in report.experiments {
            found[experiment.experiment.kind] = experiment.problems.map(\.code)
            guard !experiment.problems.isEmpty else { continue }
            #expect(experiment.comparisons.allSatisfy { $0.verdict == .invalid })
        }
        return found
    }

    private static func bed(_ world: EffectWorld, _ change: LogChange) throws -> EffectBed {
        var generator = SeededGenerator(seed: 5)
        let bed = try EffectBed(world)
        try bed.deliver(&generator, changing: change)
        return bed
    }

    /// Lives of whom the store knows something.
    private static func lives() throws -> EffectWorld {
        var generator = SeededGenerator(seed: 1)
        return try EffectWorld(subscribers: 60, &generator)
    }

    @Test("about nothing when nothing is wrong")
    func nothing() throws {
        let bed = try Self.bed(try Self.lives(), LogChange())
        let found = Self.problems(try Self.report(bed))
        #expect(found == [.holdout: [], .rollout: [], .arms: []])
    }

    @Test("when a host draws with another salt than its file says")
    func salt() throws {
        var rules = EffectWorld.rules(holdout: 2_000, rollout: 5_000, weights: [4_000, 3_000, 3_000])
        rules.holdout?.split.salt = "another"
        let bed = try Self.bed(try Self.lives(), LogChange(rules: rules.file))
        #expect(Self.problems(try Self.report(bed))[.holdout]?.contains("assignment-differs") == true)
    }

    @Test("when a tenth of an arm is lost before it is counted")
    func arm() throws {
        var generator = SeededGenerator(seed: 2)
        let world = EffectWorld(strangers: 16_000, within: 3, &generator)
        var change = LogChange()
        change.losesRequest = { request, decision in !decision.isHeldOut && request.subscriber % 10 == 0 }
        let bed = try Self.bed(world, change)
        #expect(Self.problems(try Self.report(bed))[.holdout] == ["sample-ratio", "subscribers-unknown"])
    }

    @Test("when hours of a log are missing")
    func hours() throws {
        var generator = SeededGenerator(seed: 3)
        let world = EffectWorld(strangers: 600, within: 3, &generator)
        var change = LogChange()
        change.losesLine = { request in
            request.host == 1 && (Life.time(1.25)..<Life.time(1.75)).contains(request.at)
        }
        let bed = try Self.bed(world, change)
        let found = Self.problems(try Self.report(bed))
        #expect(found.count == 3 && found.values.allSatisfy { $0.contains("decisions-missing") })
    }

    @Test("when `recover` has not read two days")
    func notifications() throws {
        let bed = try Self.bed(try Self.lives(), LogChange())
        try bed.cover(TimeRange(from: Life.birth, to: Life.time(100)))
        try bed.cover(TimeRange(from: Life.time(102), to: Life.time(5_000)))
        let report = try Self.report(bed)
        #expect(report.quality.notificationGaps == 1)
        let found = Self.problems(report)
        #expect(found.count == 3 && found.values.allSatisfy { $0 == ["notifications-missing"] })
        try bed.cover(TimeRange(from: Life.time(99), to: Life.time(103)))
        #expect(Self.problems(try Self.report(bed)) == [.holdout: [], .rollout: [], .arms: []])
    }

    @Test("when `recover` has read nothing from before the first request on until long behind it")
    func notificationsAtFirst() throws {
        let bed = try Self.bed(try Self.lives(), LogChange())
        try bed.cover(TimeRange(from: Life.birth - 10 * Life.day, to: Life.birth))
        try bed.cover(TimeRange(from: Life.time(102), to: Life.time(5_000)))
        let found = Self.problems(try Self.report(bed))
        #expect(found.count == 3 && found.values.allSatisfy { $0 == ["notifications-missing"] })
    }

    @Test("when a host has another key")
    func key() throws {
        let bed = try Self.bed(try Self.lives(), LogChange(key: try Self.otherKey()))
        let report = try Self.report(bed)
        #expect(report.quality.otherKeyInstances == 2 && report.quality.unknownUnits > 0)
        let found = Self.problems(report)
        #expect(found.count == 3 && found.values.allSatisfy { $0.contains("identifier-key-mismatch") })
    }

    private static func otherKey() throws -> IdentifierKey {
        try #require(IdentifierKey(text: Array(String(repeating: "a5", count: 32).utf8)))
    }

    @Test("but not about experiments that begin behind a fault")
    func later() throws {
        let rules = EffectWorld.rules(
            holdout: 1_000, rollout: 8_000, weights: [5_000, 2_500, 2_500], salt: "2")
        let files = [EffectWorld.files[0], rules.file]
        let change = LogChange(files: files, key: try Self.otherKey(), hasKeyForever: false)
        let bed = try Self.bed(try Self.lives(), change)
        try bed.cover(TimeRange(from: Life.birth, to: Life.time(100)))
        try bed.cover(TimeRange(from: Life.time(102), to: Life.time(5_000)))
        let report = try Self.report(bed)
        #expect(report.experiments.count == 6 && report.quality.notificationsUntil == Life.time(5_000))
        for experiment in report.experiments {
            let isLater = experiment.experiment.salt.hasSuffix("2")
            #expect(
                experiment.problems.map(\.code)
                    == (isLater ? [] : ["identifier-key-mismatch", "notifications-missing"]))
            let counted = experiment.sums.cells.filter { $0.values[OutcomeKey(.kept24h)] != nil }
            #expect(counted.contains { $0.day > Life.time(102) / Life.day })
        }
    }
}
