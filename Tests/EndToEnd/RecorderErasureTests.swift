import AppStoreTraffic
import HTTPLoad
import NotificationStore
import Support
import System
import Testing

extension EndToEnd {
    @Suite("An erasure beside a recorder that writes")
    struct RecorderErasureTests {
        private static let subscriber: Int64 = 2_000_000_777_001

        /// Notifications of the subscriber who is erased.
        private static func bodies(_ recorder: RecorderTester) throws -> [[UInt8]] {
            var sample = recorder.tester.forge.subscription
            sample.originalTransactionId = subscriber
            return try (0..<6).map { number in
                sample.period = Int64(number + 1)
                let forge = recorder.tester.forge
                return try forge.body(
                    forge.notification("DID_RENEW", nil, of: sample, number: 1 << 40 | UInt64(number))
                )
            }
        }

        /// The identifiers of the subscriber.
        private static let identifiers =
            (0..<6).map { String(subscriber + $0) } + (0..<6).map { RecorderTester.uuid(1 << 40 | $0) }

        /// Those of the identifiers that are in the raw files of the store.
        private static func found(_ recorder: RecorderTester) throws -> Set<String> {
            var bytes: [UInt8] = []
            for suffix in ["", "-wal", "-shm", "-journal"] {
                bytes += (try? recorder.tester.folder.read("notifications.db\(suffix)")) ?? []
            }
            return Set(identifiers.filter { RawIdentifier.occurs($0, in: bytes) })
        }

        @Test(
            "with --compact answers 503 meanwhile, goes on afterwards, and leaves no trace of the subscriber"
        )
        func compaction() throws {
            let library = try PreloadedLibrary.holdingCompaction()
            try RecorderTester.run(settings: #", "deadlineMilliseconds": 300"#) { recorder in
                let bodies = try Self.bodies(recorder)
                for body in bodies { #expect(recorder.post(body)?.status == 200) }
                let load = try NotificationLoad(recorder, senders: 4)
                try load.awaitAcknowledgements(200)
                #expect(try Self.found(recorder).contains(String(Self.subscriber)))
                let folder = recorder.tester.folder
                try folder.write("", to: "hold")
                // The person who names a subscriber is told on standard output which other rows name it.
                let output = try FileDescriptor.create(
                    path: folder.path(of: "erase.output"), permissions: 0o600)
                let tool = try RunningProcess(
                    [
                        try Programs.tool(), "store", "erase", "--compact", "--confirm",
                        "--original-transaction-id", "\(Self.subscriber)", "--store",
                        recorder.store.description,
                    ],
                    logPath: folder.path(of: "erase.log"),
                    environment: [library.environment, "HOLD_FILE=" + folder.path(of: "hold")],
                    descriptors: [(output.number, 1)]
                )
                // The compaction has the lock for writing until the file is gone.
                let before = load.refusalCount
                #expect(Patience.wait(seconds: 60) { load.refusalCount >= before + 8 })
                #expect(!tool.hasEnded)
                try Directory.removeFile(path: folder.path(of: "hold"))
                #expect(tool.waitForExit() == .exited(0), "\(tool.log)")
                try load.awaitAcknowledgements(100)
                #expect(try Self.found(recorder).isEmpty)
                // Apple's retries are acknowledged and dropped.
                for body in bodies { #expect(recorder.post(body)?.status == 200) }
                let metrics = recorder.tester.get("/notifications-metrics")?.body ?? ""
                #expect(metrics.contains(#"{type="DID_RENEW",outcome="tombstoned"} 6"#), "\(metrics)")
                #expect(load.finish())
                let rows = try Set(recorder.rows())
                #expect(load.acknowledged.allSatisfy { rows.contains(RecorderTester.uuid($0)) })
                #expect(rows.isDisjoint(with: Self.identifiers))
                try recorder.recorder.send(.quit)
                #expect(try recorder.recorder.waitForExit() == .exited(0))
                #expect(try Self.found(recorder).isEmpty)
            }
        }
    }
}
