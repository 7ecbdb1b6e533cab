import AppStoreSimulator
import Cryptography
import Pool
@testable import Recorder
import Support
import Testing

@Suite("The watch of the recorder")
struct RecorderWatchTests {
    private static let day: UInt64 = 86_400_000

    @Test("knows the anchors at once, and the certificates of stored notifications")
    func pages() throws {
        let bench = try RecorderBench()
        func positions() throws -> [String] {
            let reply = try bench.reply([], to: "metrics", method: "GET")
            let check = ExpositionCheck(String(decoding: reply.body, as: UTF8.self))
            return check.samples("retentiond_recorder_certificate_not_after_timestamp_seconds")
                .compactMap { $0.labels["position"] }
        }
        #expect(try positions() == ["anchor"])
        #expect(try bench.reply(Array("{}".utf8)).status == 400)
        #expect(try positions() == ["anchor"])
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try positions() == ["leaf", "intermediate", "anchor"])
        let status = try bench.reply([], to: "status", method: "GET")
        #expect(String(decoding: status.body, as: UTF8.self).contains("leaf ends:"))
    }

    @Test("tells when the clock is set, and when it is slow")
    func clock() throws {
        let bench = try RecorderBench()
        func lines(_ code: String) -> Int {
            bench.log.split(separator: "\n").count { $0.contains("code=\(code)") }
        }
        let recorder = bench.process.recorder
        // The wall clock of the bench stands still, so only the looks of the test count.
        recorder.nextLook = .max
        func look() {
            recorder.nextLook = 0
            recorder.watch()
            recorder.nextLook = .max
        }
        recorder.clockWatch = ClockWatch()
        look()
        #expect(lines("clock-jumped") == 0)
        bench.clock.setWall(TestPKI.now - 50_000)
        look()
        #expect(lines("clock-jumped") == 1 && lines("clock-behind") == 0)
        #expect(recorder.counters.clockJumps == 1)
        // While the machine slept, both clocks went on.
        bench.clock.sleep(milliseconds: 3_600_000)
        bench.clock.setWall(TestPKI.now + 3_550_000)
        look()
        #expect(lines("clock-jumped") == 1)
        bench.clock.setWall(TestPKI.now - 50_000)
        look()
        #expect(lines("clock-jumped") == 2)
        for number in 1...16 as ClosedRange<UInt64> {
            var notification = try bench.forge.notification(number: number)
            notification.members.set("signedDate", number: TestPKI.now + Int64(number))
            #expect(try bench.reply(bench.forge.body(notification)).status == 200)
        }
        recorder.clockWatch = ClockWatch()
        look()
        #expect(lines("clock-behind") == 1)
        let status = try bench.reply([], to: "status", method: "GET")
        #expect(String(decoding: status.body, as: UTF8.self).contains("signed date offset:       50009\n"))
    }

    @Test("warns of certificates that end soon, once a day, also when nothing comes")
    func warnings() throws {
        let bench = try RecorderBench()
        func warnings() throws -> Int {
            bench.clock.advance(milliseconds: 2_000)
            try bench.settle()
            return bench.log.split(separator: "\n").count { $0.contains("code=certificate-ends-soon") }
        }
        #expect(try bench.reply(bench.body(1)).status == 200)
        #expect(try warnings() == 0)
        // The anchor, the leaf and the intermediate end together.
        let ends = bench.process.recorder.certificateEnds
        let end = try #require(ends[.leaf])
        #expect(Set(ends.values).count == 1 && ends.count == 3)
        bench.clock.setWall(end - 30 * Int64(Self.day))
        #expect(try warnings() == 3)
        bench.clock.setWall(end - 29 * Int64(Self.day) - 1)
        #expect(try warnings() == 3)
        bench.clock.setWall(end - 29 * Int64(Self.day))
        #expect(try warnings() == 6)
        #expect(bench.log.contains("position=leaf") && bench.log.contains("position=anchor"))
    }
}
