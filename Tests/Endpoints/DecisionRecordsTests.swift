import AppStoreSimulator
import Cryptography
import FastCGI
import JSON
@testable import Pool
import Rules
import Support
import System
import Testing

/// The tests read back the records that the endpoint writes.
@Suite("Decision records of an endpoint")
struct DecisionRecordsTests {
    static let key = String(repeating: "0b", count: 32)

    /// A world that writes records with a known key.
    static func world(rules: String = EndpointWorld.rules, isFull: Bool = false) throws -> (
        EndpointWorld, TemporaryDirectory
    ) {
        let folder = try TemporaryDirectory()
        if isFull { try linkToFullDisk(folder) }
        try folder.write(key, to: "key", permissions: 0o600)
        let world = try EndpointWorld(
            settings:
                #", "log": {"decisions": "\#(folder.path(of: "d"))"}, "identifierKeyFile": "\#(folder.path(of: "key"))""#,
            rules: rules
        )
        return (world, folder)
    }

    /// All lines of the log.
    static func lines(_ folder: TemporaryDirectory, _ name: String = "d") throws -> [JSONDocument] {
        try folder.read(name).split(separator: UInt8(ascii: "\n")).map { line in
            try JSONDocument(parsing: Array(line).span, limits: JSONLimits(byteCount: 4096, depth: 8))
        }
    }

    static func records(_ folder: TemporaryDirectory, _ name: String = "d") throws -> [JSONDocument] {
        try lines(folder, name).filter { $0.root.member("requestIdentifier") != nil }
    }

    /// Answers requests and ends the turn.
    private static func answer(_ world: EndpointWorld, _ count: Int = 1) throws {
        let body = try world.body()
        for _ in 0..<count { _ = world.answer(world.parameters(), body) }
        world.handler.turnEnded(FastCGICounts())
    }

    /// Waits until the log has written or dropped so many records.
    private static func settle(_ world: EndpointWorld, written: UInt64, dropped: UInt64 = 0) {
        let (counters, log) = (world.counters, world.log)
        let isSettled = Patience.wait(seconds: 60) {
            counters.value(.decisionsWritten) == written && counters.value(.decisionsDropped) == dropped
        }
        #expect(isSettled, "\(counters.value(.decisionsWritten)) written, \(log.lines)")
    }

    @Test("have the served message, the subscriber under a pseudonym, and the rules")
    func served() throws {
        let (world, folder) = try Self.world()
        let body = try world.body()
        #expect(world.answer(world.parameters(), body).status == 200)
        world.finishRecords()
        let record = try #require(try Self.records(folder).first).root
        let payload = SignedBody.payload(signedDate: world.now)
        #expect(record.member("requestIdentifier")?.string == payload.requestIdentifier.description)
        #expect(record.member("product")?.string == payload.productId)
        #expect(record.member("locale")?.string == payload.userLocale)
        #expect(record.member("environment")?.string == "Sandbox" && record.member("app")?.int64 == 531_412)
        #expect(record.member("rule")?.kind == .null && record.member("reason")?.string == "DEFAULT")
        let signed = try #require(record.member("signedDate")?.string.flatMap { CivilTime($0) })
        #expect(signed.milliseconds == payload.signedDate)
        #expect(record.member("digest")?.string == world.rulesFile?.digest.hexadecimal)
        #expect(record.member("instance")?.string == world.handler.recorder?.instance)
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

    @Test("go into the file that was open when they were decided, also after a rotation")
    func rotation() throws {
        let (world, folder) = try Self.world()
        try Self.answer(world)
        Self.settle(world, written: 1)
        _ = world.answer(world.parameters(), try world.body())
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        world.handler.reopenLogs()
        world.finishRecords()
        #expect(try Self.lines(folder, "d.1").count == 3)
        // The new file, too, says by which rules its records are.
        #expect(try Self.lines(folder).compactMap { $0.root.members.first?.0 } == ["rules", "end"])
    }

    private static func linkToFullDisk(_ folder: TemporaryDirectory) throws {
        let maker = ChildProcess(
            executable: "/bin/ln", arguments: ["ln", "-s", "/dev/full", folder.path(of: "d")], environment: []
        )
        #expect(Processes.wait(for: try maker.start()) == .exited(0))
    }

    @Test("lead to one line in the log when they are dropped, not to one line each")
    func dropped() throws {
        let (world, folder) = try Self.world(isFull: true)
        for number in UInt64(1)...3 {
            try Self.answer(world)
            Self.settle(world, written: 0, dropped: number)
        }
        world.finishRecords()
        withExtendedLifetime(folder) {}
        let told = world.log.lines.filter { $0.contains("decisions-dropped") }
        #expect(told == ["error decision records are dropped code=decisions-dropped dropped=1"])
    }

    @Test("go into the file that was open when the path cannot be opened, and the log says why")
    func notReopened() throws {
        let (world, folder) = try Self.world()
        try Self.answer(world)
        Self.settle(world, written: 1)
        try Directory.rename(folder.path(of: "d"), to: folder.path(of: "d.1"))
        try folder.makeDirectory("d")
        world.handler.reopenLogs()
        try Self.answer(world)
        Self.settle(world, written: 2)
        try Directory.removeEmpty(path: folder.path(of: "d"))
        // The path is tried again a second later.
        var count = 2
        let isOpen = Patience.wait(seconds: 60) {
            count += 1
            try? Self.answer(world)
            Self.settle(world, written: UInt64(count))
            return (try? folder.read("d")) != nil
        }
        #expect(isOpen)
        world.finishRecords()
        #expect(try Self.lines(folder).first?.root.members.first?.0 == "rules")
        let told = world.log.lines.filter { $0.contains("code=decisions-unwritable") }
        #expect(told.count == 1 && told[0].hasPrefix("error decision records cannot be written"), "\(told)")
        #expect(try Self.records(folder, "d.1").count + Self.records(folder).count == count)
        #expect(try Self.lines(folder, "d.1").filter { $0.root.members.first?.0 == "rules" }.count == 1)
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
        world.finishRecords()
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
        world.finishRecords()
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
