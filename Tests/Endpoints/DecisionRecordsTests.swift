import AppStoreTraffic
import Cryptography
import FastCGI
import JSON
import Support
import System
import Telemetry
import Testing
import Vocabulary

@testable import Endpoints

/// The tests read back the records that the endpoint writes.
@Suite("Decision records of an endpoint")
struct DecisionRecordsTests {
    static let key = String(repeating: "0b", count: 32)

    /// A world that writes records with a known key.
    static func world(
        rules: String = EndpointWorld.rules,
        startCompanion: RecordCompanionStart? = nil
    ) throws -> (EndpointWorld, TemporaryDirectory) {
        let folder = try TemporaryDirectory()
        try folder.write(key, to: "key", permissions: 0o600)
        let world = try EndpointWorld(
            settings:
                #", "log": {"decisions": "\#(folder.path(of: "d"))"}, "identifierKeyFile": "\#(folder.path(of: "key"))""#,
            rules: rules,
            startCompanion: startCompanion
        )
        return (world, folder)
    }

    static func records(_ folder: TemporaryDirectory) throws -> [JSONDocument] {
        try folder.read("d").split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDocument(parsing: Array(line).span, limits: JSONLimits(byteCount: 4096, depth: 4))
        }
    }

    @Test("have the served message, the subscriber under a pseudonym, and the rules")
    func served() throws {
        let (world, folder) = try Self.world()
        let body = try world.body()
        #expect(world.answer(world.parameters(), body).status == 200)
        // The record is not written before the answer is sent.
        #expect(try folder.read("d").isEmpty)
        world.handler.turnEnded(FastCGICounts())
        let record = try #require(try Self.records(folder).first).root
        let payload = SignedBody.payload(signedDate: world.now)
        #expect(record.member("requestIdentifier")?.string == payload.requestIdentifier.description)
        #expect(record.member("product")?.string == payload.productId)
        #expect(record.member("locale")?.string == payload.userLocale)
        #expect(record.member("environment")?.string == "Sandbox" && record.member("app")?.int64 == 531_412)
        #expect(record.member("rule")?.kind == .null && record.member("reason")?.string == "DEFAULT")
        #expect(record.member("generation")?.int64 == 1)
        let signed = try #require(record.member("signedDate")?.string.flatMap { CivilTime($0) })
        #expect(signed.milliseconds == payload.signedDate)
        #expect(record.member("instance")?.string == world.counters.instance)
        #expect(record.member("sequence")?.int64 == 1)
        #expect(record.member("assigned")?.kind == .array && record.member("assigned")?.count == 0)
        let served = try #require(record.member("served"))
        #expect(served.member("messageIdentifier")?.string == "551ee7c0-c097-418e-9dd5-2a98533a7390")
        #expect(served.member("message")?.string == "m" && served.member("kind")?.string == "message")
        // The pseudonym is plain HMAC (RFC 2104), so that another program can join the records of two hosts.
        let key = try #require(Hexadecimal.decode(Self.key))
        let code = try HMACSHA256(key: key.span)
        let name = try code.authenticate(payload.originalTransactionId.utf8Span.span).description.prefix(32)
        #expect(record.member("subscriber")?.string == String(name))
        let verify = try #require(record.member("verifyMicroseconds")?.int64)
        let total = try #require(record.member("totalMicroseconds")?.int64)
        #expect(verify > 0 && total >= verify)
        let text = String(decoding: try folder.read("d"), as: UTF8.self)
        #expect(!text.contains(payload.originalTransactionId))
        #expect(world.counters.value(.decisionsWritten) == 1)
    }

    @Test("are written after 200 answers at the latest, also when the turn has not ended")
    func bounded() throws {
        let (world, folder) = try Self.world()
        for number in 1...200 {
            #expect(try folder.read("d").isEmpty, "before request \(number)")
            _ = world.answer(world.parameters(), try world.body())
        }
        #expect(try Self.records(folder).count == 200)
    }

    @Test("go into the file that was open when they were decided, also after a rotation")
    func rotation() throws {
        let (world, folder) = try Self.world()
        _ = world.answer(world.parameters(), try world.body())
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        world.handler.reopenLogs()
        #expect(try folder.read("d").isEmpty)
        #expect(try folder.read("d.1").count { $0 == UInt8(ascii: "\n") } == 1)
    }

    @Test("are numbered, so that a record that is not written is a gap")
    func gap() throws {
        let (world, folder) = try Self.world()
        let send = { (count: Int) in
            for _ in 0..<count { _ = world.answer(world.parameters(), try world.body()) }
        }
        let numbers = { try Self.records(folder).map { $0.root.member("sequence")?.int64 } }
        try send(3)
        world.handler.flushRecords()
        #expect(try numbers() == [1, 2, 3])
        try Self.fill(folder)
        world.handler.reopenLogs()
        try send(2)
        world.handler.flushRecords()
        #expect(world.counters.value(.decisionsDropped) == 2)
        try Directory.removeFile(path: folder.path(of: "d"))
        world.handler.reopenLogs()
        try send(2)
        world.handler.flushRecords()
        #expect(try numbers() == [6, 7])
        #expect(world.counters.lastSequence == 7)
        // A number is taken before its record is written. When a worker dies between the two, another process that
        // shares the counters continues after that number.
        try send(1)
        #expect(world.counters.lastSequence == 8)
    }

    /// Renames the log and makes its path a link to /dev/full, so that writing there fails as on a full disk.
    static func fill(_ folder: TemporaryDirectory) throws {
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        let maker = ChildProcess(
            executable: "/bin/ln",
            arguments: ["ln", "-s", "/dev/full", folder.path(of: "d")],
            environment: []
        )
        #expect(Processes.wait(for: try maker.start()) == .exited(0))
    }

    @Test("lead to one line in the log when they are dropped, not to one line each")
    func dropped() throws {
        let (world, folder) = try Self.world()
        let send = {
            _ = world.answer(world.parameters(), try world.body())
            world.handler.flushRecords()
        }
        let told = { world.log.lines.filter { $0.contains("decisions-dropped") } }
        try send()
        #expect(told().isEmpty)
        try Self.fill(folder)
        world.handler.reopenLogs()
        for _ in 0..<3 { try send() }
        #expect(world.counters.value(.decisionsDropped) == 3)
        #expect(told() == ["error decision records are dropped code=decisions-dropped dropped=1"])
    }

    @Test("go into the file that was open when the path cannot be opened, and the log says why")
    func notReopened() throws {
        let (world, folder) = try Self.world()
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        try folder.makeDirectory("d")
        world.handler.reopenLogs()
        let told = world.log.lines.filter { $0.contains("code=decisions-unwritable") }
        #expect(told.count == 1 && told[0].hasPrefix("error decision log not reopened"), "\(told)")
        _ = world.answer(world.parameters(), try world.body())
        world.handler.flushRecords()
        #expect(try folder.read("d.1").count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(world.counters.value(.decisionsDropped) == 0)
    }

    @Test("name what was drawn but could not be served", arguments: [false, true])
    func assigned(isHeldOut: Bool) throws {
        let holdout = #""holdout": {"salt": "h", "basisPoints": 10000, "serve": "none"},"#
        let (world, folder) = try Self.world(
            rules: """
                {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"},
                 "environment": "Sandbox", \(isHeldOut ? holdout : "")
                 "messages": {"m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
                              "g": {"kind": "text", "ids": {"xx-XX": "551ee7c0-c097-418e-9dd5-2a98533a7391"}},
                              "o": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}}},
                 "rules": [
                   {"id": "split", "variants": {"salt": "v", "arms":
                     [{"name": "only", "weight": 10000, "serve": {"message": "g"}}]}},
                   {"id": "share", "when": {"fact": "productId", "eq": "\(SignedBody.productId)"},
                    "rollout": {"salt": "r", "basisPoints": 10000}, "serve": \(Self.offer)},
                   {"id": "last", "serve": {"message": "m"}}]}
                """
        )
        _ = world.answer(world.parameters(), try world.body())
        world.handler.turnEnded(FastCGICounts())
        let record = try #require(try Self.records(folder).first).root
        let draws = isHeldOut ? record.member("shadow")?.member("assigned") : record.member("assigned")
        // This world has no signing key.
        #expect(draws?.elements.map { $0.member("rule")?.string } == ["split", "share"])
        #expect(draws?.elements.map { $0.member("arm")?.string } == ["only", nil])
        #expect(draws?.elements.map { $0.member("step")?.string } == ["locale", "signing"])
        #expect(record.member("assigned")?.count == (isHeldOut ? 0 : 2))
        let rule = isHeldOut ? record.member("shadow")?.member("rule") : record.member("rule")
        #expect(rule?.string == "last")
    }

    @Test(
        "are kept back while answers follow each other quickly, but not when there are many, and not for long"
    )
    func heldBack() throws {
        let (world, folder) = try Self.world()
        let recorder = try #require(world.handler.recorder)
        var total = 0
        // Milliseconds, answers in the turn, and whether its end writes.
        var turns: [(time: Double, answers: Int, writes: Bool)] = [
            (0, 0, false), (1000, 1, true), (1001, 1, false), (1005.9, 1, false), (1010, 0, false),
            (1011, 0, true), (1011.5, 0, false), (1014, 2, true), (1015, 1, false), (1016, 159, true),
            (1017, 100, false), (1018, 59, false), (1018.5, 1, true), (1019, 1, false), (1020, 199, true),
            (1021, 1, false),
        ]
        turns += stride(from: 1025, through: 1069, by: 4).map { ($0, 1, false) }
        turns += [(1070.9, 1, false), (1071, 1, true)]
        var heldSince: Double?
        for turn in turns {
            for _ in 0..<turn.answers { _ = world.answer(world.parameters(), try world.body()) }
            total += turn.answers
            let before = try Self.records(folder).count
            recorder.turnEnded(atNanoseconds: UInt64(turn.time * 1_000_000))
            let after = try Self.records(folder).count
            #expect(after == (turn.writes ? total : before), "at \(turn.time)")
            #expect((world.handler.wakeNanoseconds == nil) == (after == total), "at \(turn.time)")
            if after == total { heldSince = nil }
            if after < total, let wake = world.handler.wakeNanoseconds {
                // Fifty milliseconds after the end of the first turn that kept records back.
                if heldSince == nil { heldSince = turn.time }
                #expect(wake == UInt64(((heldSince ?? 0) + 50) * 1_000_000), "at \(turn.time)")
            }
        }
        _ = world.answer(world.parameters(), try world.body())
        recorder.turnEnded(atNanoseconds: 1_072_000_000)
        #expect(try Self.records(folder).count == total)
        world.handler.leaves()
        #expect(try Self.records(folder).count == total + 1)
    }

    @Test("are written for an answer without a message, but not for a refusal")
    func noAnswer() throws {
        let (world, folder) = try Self.world()
        #expect(world.answer(world.parameters(), try world.body { $0.productId = "quiet" }).status == 503)
        #expect(world.answer(world.parameters(), Array("{}".utf8)).status == 400)
        world.handler.flushRecords()
        let records = try Self.records(folder)
        #expect(records.count == 1)
        #expect(records.first?.root.member("rule")?.string == "quiet")
        #expect(records.first?.root.member("served")?.kind == .null)
    }

    @Test(
        "have a shadow: what the subscriber would get without the holdout or the cap",
        arguments: ["HOLDOUT", "CAPPED"]
    )
    func shadow(reason: String) throws {
        let limit =
            reason == "HOLDOUT"
            ? #""holdout": {"salt": "h", "basisPoints": 10000, "serve": "none"},"#
            : #""caps": {"offer": {"maxAccepted": 1}},"#
        let (world, folder) = try Self.world(
            rules: """
                {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"},
                 "environment": "Sandbox", "facts": {"offersAccepted": "int"}, \(limit)
                 "messages": {"m": {"kind": "text", "ids": {"en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390"}},
                              "o": {"kind": "offer", "ids": {"en-US": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc"}}},
                 "rules": [{"id": "first", "when": {"fact": "productId", "eq": "\(SignedBody.productId)"},
                            "serve": \(reason == "HOLDOUT" ? #"{"message": "m"}"# : Self.offer)}],
                 "metadata": {}}
                """
        )
        _ = world.answer(world.parameters(), try world.body())
        world.handler.turnEnded(FastCGICounts())
        let record = try #require(try Self.records(folder).first).root
        #expect(world.counters.value(.rulesCapped) == (reason == "CAPPED" ? 1 : 0))
        #expect(record.member("reason")?.string == reason)
        #expect(record.member("served")?.kind == .null)
        // The shadow of a cap has the offer although nothing can be signed here.
        let shadow = try #require(record.member("shadow"))
        #expect(shadow.member("rule")?.string == "first")
        #expect(shadow.member("message")?.string == (reason == "HOLDOUT" ? "m" : "o"))
        #expect(shadow.member("reason")?.string == "TARGETING_MATCH")
    }

    private static let offer = """
        {"offer": "o", "productId": "\(SignedBody.productId)", "offerIdentifier": "half"}
        """
}
