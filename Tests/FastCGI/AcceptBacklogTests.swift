import Support
import System
import Testing

@testable import FastCGI

@Suite("Connections that wait to be accepted")
struct AcceptBacklogTests {
    /// What looks show, each with its time in milliseconds, and what is known afterwards.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// True when the look shows waiting connections.
        let looks: [(UInt64, Bool)]
        /// How long they have waited at the last look; nil when none wait.
        let age: UInt64?
        let neglectedSince: UInt64?
    }

    private static let rows = [
        Row(testDescription: "never seen", looks: [(5_000, false)], age: nil, neglectedSince: nil),
        Row(testDescription: "just come", looks: [(5_000, true)], age: 0, neglectedSince: nil),
        Row(
            testDescription: "not long enough",
            looks: [(5_000, true), (5_019, true)],
            age: 19,
            neglectedSince: nil
        ),
        Row(
            testDescription: "as long as the patience",
            looks: [(5_000, true), (5_010, true), (5_020, true)],
            age: 20,
            neglectedSince: 5_000
        ),
        Row(
            testDescription: "the last such time counts",
            looks: [(5_000, true), (5_020, true), (5_050, true)],
            age: 50,
            neglectedSince: 5_030
        ),
        Row(
            testDescription: "interrupted",
            looks: [(5_000, true), (5_010, false), (5_015, true), (5_030, true)],
            age: 15,
            neglectedSince: nil
        ),
        Row(
            testDescription: "taken at last, and a new one comes later",
            looks: [(5_000, true), (5_040, true), (5_041, false), (9_000, true)],
            age: 0,
            neglectedSince: 5_020
        ),
        Row(
            testDescription: "the server was slow",
            looks: [(5_000, true), (6_000, true)],
            age: 1_000,
            neglectedSince: 5_980
        ),
        Row(
            testDescription: "the server or the whole machine was stopped",
            looks: [(5_000, true), (6_001, true), (6_002, true)],
            age: 1,
            neglectedSince: nil
        ),
        Row(
            testDescription: "the first look soon after the machine has started",
            looks: [(1, true), (21, true)],
            age: 20,
            neglectedSince: 1
        ),
    ]

    @Test("are known with the time for which every look has shown some", arguments: rows)
    func looks(row: Row) {
        var backlog = AcceptBacklog()
        var age: UInt64?
        for (milliseconds, shows) in row.looks {
            if shows {
                age = backlog.showsConnections(at: milliseconds * 1_000_000)
            } else {
                backlog.showsNone()
                age = nil
            }
        }
        #expect(age == row.age.map { $0 * 1_000_000 })
        #expect((backlog.since == nil) == (age == nil))
        #expect(backlog.neglectedSince == row.neglectedSince.map { $0 * 1_000_000 })
    }

    @Test("have not waited since the last look when they end the server's sleep")
    func sleep() throws {
        let bench = try ServedBench()
        func turn(_ milliseconds: Int32) throws {
            _ = try bench.server.turn(timeoutMilliseconds: milliseconds) { bench.handle(&$0) }
        }
        // A connection that comes before the server sleeps has waited. So the test tries until one comes later.
        for _ in 0..<50 {
            let first = try bench.connect()
            try turn(0)
            let since = try #require(bench.server.backlog.since)
            let path = bench.path
            let second = try JoinableThread {
                Clock.sleep(milliseconds: 20)
                _ = try? FastCGIClient(unixPath: path)
            }
            let accepted = bench.server.counts.acceptedCount
            while bench.server.counts.acceptedCount == accepted { try turn(1_000) }
            let isNew = try #require(bench.server.backlog.since) > since
            second.join()
            withExtendedLifetime(first) {}
            if isNew { return }
            while bench.server.backlog.since != nil { try turn(0) }
        }
        Issue.record("every connection counts as one that has waited")
    }
}
