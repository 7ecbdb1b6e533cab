import JSON
import NotificationStore
import Support
import System
import Testing

extension EndToEnd {
    /// The recorder is down for 80 hours while the App Store goes on sending. Then Apple's retries and recoveries that are
    /// killed at exact points bring everything back.
    @Suite("An outage of 80 hours")
    struct RecorderOutageTests {
        /// How many times a recovery is killed.
        private static var killCount: Int { Programs.runsLong ? 30 : 10 }
        /// The events of two hours.
        private static var eventCounts: ClosedRange<Int> { Programs.runsLong ? 24...48 : 8...16 }

        @Test(
            "leaves every notification in the store once, after retries and a recovery that is killed",
            arguments: ["SQLite", "PostgreSQL"]
        )
        func outage(system: String) throws {
            func place() throws -> String? {
                try system == "SQLite" ? nil : PostgreSQLServer.shared().makeSchema()
            }
            let store = try place()
            try OutageScene.run(store: store) { scene in
                var random = SeededGenerator(for: "outage behind nginx, \(system)")
                let begun = Clock.monotonicNanoseconds()
                try Self.breakDown(scene, &random)
                let points = try scene.recoveryPointCount(hours: 85, into: place())
                let missing = try scene.complaints().count
                #expect(missing > 40 * Self.eventCounts.lowerBound / 2)
                let kills = try Self.kill(scene, points, &random)
                #expect(kills == Self.killCount)
                let report = try scene.recoverWhole()
                #expect(report.member("notStored")?.members.isEmpty == true)
                #expect(try scene.complaints() == [])
                let sources = try scene.recorder.storedNotifications().map(\.source)
                #expect(sources.contains("push") && sources.contains("history"))

                try Self.letRetriesCome(scene)
                #expect(try scene.recoverWhole().member("new")?.int64 == 0)
                #expect(try scene.complaints() == [])
                // The simulator counts a call that breaks Apple's rates as 429.
                let calls = try scene.calls()
                #expect(calls.keys.sorted() == ["notificationHistory"])
                #expect(calls["notificationHistory"]?.keys.sorted() == ["200"], "\(calls)")
                print(
                    "figures: \(system) notifications=\(sources.count) missing=\(missing)",
                    "history=\(sources.count { $0 == "history" }) kills=\(kills) points=\(points)",
                    "calls=\(calls["notificationHistory"]?["200"] ?? 0)",
                    "ms=\((Clock.monotonicNanoseconds() - begun) / 1_000_000)")
            }
        }

        /// Lets twelve quiet hours pass, a recovery, 80 hours without a recorder, and four with one.
        private static func breakDown(_ scene: OutageScene, _ random: inout SeededGenerator) throws {
            try pass(twoHours: 6, scene, &random)
            #expect(try scene.complaints() == [])
            _ = try scene.recoverWhole()
            try scene.recorder.kill()
            try pass(twoHours: 40, scene, &random)
            try scene.recorder.start()
            try pass(twoHours: 2, scene, &random)
        }

        /// Lets so many times two hours pass, each with its events.
        private static func pass(twoHours count: Int, _ scene: OutageScene, _ random: inout SeededGenerator)
            throws
        {
            for _ in 0..<count {
                try scene.notify(.random(in: eventCounts, using: &random), &random)
                try scene.pass(hours: 2)
            }
        }

        /// Kills recoveries at random points, so that all of them together do about two thirds of a recovery. During every
        /// second one, new notifications and retries come in. Returns how many were killed.
        private static func kill(_ scene: OutageScene, _ points: Int, _ random: inout SeededGenerator) throws
            -> Int
        {
            var kills = 0
            while kills < killCount {
                if kills % 2 == 1 {
                    try scene.pass(hours: 2)
                    try scene.notify(.random(in: eventCounts, using: &random), &random)
                }
                let point = Int.random(in: 1...points * 5 / 4 / killCount, using: &random)
                let run = try scene.recover(environment: ["KILL_AT=\(point)"])
                guard run.exit == .signalled(9) else {
                    throw Complaint("a recovery has fewer than \(point) points after \(kills) kills: \(run)")
                }
                kills += 1
            }
            return kills
        }

        /// Lets all retries come: Apple makes the last one 157 hours after the first attempt. Here each of the five is late by
        /// up to eight hours.
        private static func letRetriesCome(_ scene: OutageScene) throws {
            for _ in 0..<25 { try scene.pass(hours: 8) }
            let last = try scene.settle().map { notification in
                let attempts = notification.member("attempts")?.elements ?? []
                return attempts.last?.member("sendAttemptResult")?.string
            }
            #expect(last.allSatisfy { $0 == "SUCCESS" })
        }
    }
}
