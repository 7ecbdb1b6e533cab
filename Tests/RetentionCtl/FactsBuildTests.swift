import JSON
import NotificationStore
import Support
import Testing

@Suite("retentionctl facts build")
struct FactsBuildTests {
    @Test("derives everything that is in the store", arguments: StoreKind.allCases)
    func whole(kind: StoreKind) throws {
        let world = try FactsBuildWorld(kind)
        let first = try world.built()
        #expect(first.report.root.member("subscribers")?.int64 == 5)
        #expect(try world.built().bytes == first.bytes)
        // One new notification of one subscriber, and then many of all and of new ones.
        for (numbers, subscribers) in [(40..<41, 5), (41..<90, 7)] {
            try world.store.take(
                world.store.bodies(numbers, subscribers: subscribers, to: "more"), into: world.address)
            let next = try world.built()
            #expect(next.report.root.member("subscribers")?.int64 == Int64(subscribers))
            #expect(try world.built().bytes == next.bytes)
        }
        let rows = try world.rows()
        #expect(rows.count == 7)
        #expect(rows.values.allSatisfy { $0.root.member("currentProductId")?.string != nil })
        // An erased subscriber is gone with the next build, without a new notification.
        let erased = String(StoreWorld.subscription(3))
        let run = try world.store.store(
            "erase", "--subscriber", erased, "--confirm", at: world.address)
        #expect(run.status == 0, "\(run.errors)")
        _ = try world.built()
        #expect(try world.rows().keys.sorted() == rows.keys.filter { $0 != erased }.sorted())
    }

    @Test(
        "gives the same facts after old notifications were pruned, also for the time that recover has read")
    func pruned() throws {
        let world = try FactsBuildWorld(.sqlite, count: 60)
        try world.schema(
            #""status": "string", "refunds": "int", "cancellations": "int", "paidPeriods": "int", "autoRenew": "bool""#
        )
        let store = try NotificationStore(StoreAddress(world.address), StoreOptions(access: .write))
        let year: Int64 = 31_536_000_000
        let covered = TimeRange(from: world.store.now - 2 * year, to: world.store.now)
        try store.cover(app: "com.example.app", environment: "Sandbox", covered)
        let before = try world.built()
        let counts = try world.rows().values.map { $0.root.member("refunds")?.int64 }
        #expect(counts.contains { $0 != nil })
        let run = try world.store.store(
            "prune", "--confirm", "--before", "2100-01-01T00:00:00Z", "--json", at: world.address)
        #expect(try Tool.document(run).root.member("deleted")?.int64 ?? 0 > 10, "\(run.errors)")
        // The ranges that recover has read stay, so that it does not fetch again what was pruned.
        #expect(try store.coverage(app: "com.example.app", environment: "Sandbox").map(\.range) == [covered])
        #expect(try world.built().bytes == before.bytes)
    }

    @Test("gives the facts of an earlier time without the payloads that came later")
    func earlier() throws {
        let world = try FactsBuildWorld(.sqlite)
        _ = try world.built()
        let before = String(world.store.now - 3_600_000 - 1)
        _ = try world.built(["--at", before])
        #expect(try world.rows().values.allSatisfy { $0.root.member("currentProductId") == nil })
        // The payloads of the first five notifications, one of each subscriber.
        _ = try world.built(["--at", String(world.store.now - 3_600_000 + 4)])
        let rows = try world.rows()
        #expect(rows.count == 5)
        #expect(rows.values.contains { $0.root.member("currentProductId") != nil })
    }

    @Test(
        "leaves the file as it is when the store has nobody of the app in the environment",
        arguments: [["--bundle-id", "com.example.other"], ["--environment", "Production"]]
    )
    func nobody(words: [String]) throws {
        let world = try FactsBuildWorld(.sqlite, count: 1)
        let old = try world.built().bytes
        let refused = try world.build(words)
        #expect(refused.status == 65 && refused.errors.contains("error: facts.empty"), "\(refused.errors)")
        #expect(try world.store.folder.read("app.facts") == old)
        let run = try world.build(words + ["--allow-empty"])
        #expect(run.status == 0 && run.errors.contains("warning: facts.no-subscribers"), "\(run.errors)")
        let (_, report) = try world.built(words + ["--allow-empty"])
        #expect(report.root.member("subscribers")?.int64 == 0 && report.root.member("rows")?.int64 == 0)
        // A subscriber of the table alone is a row, but nobody of the store.
        try world.schema(#""price": "int", "segment": "string""#)
        try world.store.folder.write("originalTransactionId,segment\n77,gold\n", to: "table.csv")
        let table = [world.store.folder.path(of: "table.csv")]
        #expect(try world.build(words + table).status == 65)
        let merged = try world.build(words + table + ["--allow-empty"])
        #expect(merged.status == 0 && merged.errors.contains("warning: facts.no-subscribers"))
        try world.schema(#""price": "int""#)
        let own = try world.build()
        #expect(own.status == 0 && own.errors.isEmpty, "\(own.errors)")
        #expect(own.output.contains(#/ subscribers +1\n/#), "\(own.output)")
    }

    @Test("joins a table by its key, and needs to know whose value counts for a fact in both")
    func merge() throws {
        let world = try FactsBuildWorld(.sqlite)
        let (known, own) = (String(StoreWorld.subscription(1)), "77")
        try world.schema(#""price": "int", "segment": "string""#)
        try world.store.folder.write(
            "originalTransactionId,segment,price\n\(known),gold,5\n\(own),silver,6\n", to: "table.csv")
        let table = [world.store.folder.path(of: "table.csv")]
        let both = try world.build(table)
        #expect(both.status == 65 && both.errors.contains("facts.in-both"), "\(both.errors)")
        func price(_ id: String) throws -> Int64? { try world.rows()[id]?.root.member("price")?.int64 }
        _ = try world.built(table + ["--prefer", "table"])
        #expect(try price(known) == 5 && price(own) == 6)
        #expect(try world.rows().count == 6)
        _ = try world.built(table + ["--prefer", "store"])
        // The store has no price of a subscriber who is in the table alone.
        #expect(try price(own) == 6)
        #expect(try price(known) != 5 && price(known) != nil)
        #expect(try world.rows()[known]?.root.member("segment")?.string == "gold")
        #expect(try world.rows()[own]?.root.member("segment")?.string == "silver")
    }

    @Test(
        "joins a table that has the operator's own columns alone",
        arguments: [
            ("csv", "originalTransactionId,segment\nKNOWN,gold\n77,silver\n"),
            (
                "ndjson",
                """
                {"originalTransactionId": "KNOWN", "segment": "gold"}
                {"originalTransactionId": "77", "segment": "silver"}

                """
            ),
        ]
    )
    func ownColumns(ending: String, text: String) throws {
        let world = try FactsBuildWorld(.sqlite, count: 5)
        let known = String(StoreWorld.subscription(1))
        try world.schema(#""price": "int", "status": "string", "segment": "string""#)
        let table = text.split(separator: "KNOWN", omittingEmptySubsequences: false).joined(separator: known)
        try world.store.folder.write(table, to: "own.\(ending)")
        _ = try world.built([world.store.folder.path(of: "own.\(ending)")])
        let rows = try world.rows()
        #expect(rows[known]?.root.member("segment")?.string == "gold")
        #expect(rows[known]?.root.member("status")?.string != nil)
        #expect(rows["77"]?.root.member("segment")?.string == "silver")
        #expect(rows["77"]?.root.member("price") == nil)
    }

    @Test("leaves out a bad row of a merged table with a warning, and fails when more than 1 percent is bad")
    func badRows() throws {
        let world = try FactsBuildWorld(.sqlite, count: 3)
        try world.schema(#""price": "int", "segment": "string", "score": "int""#)
        let path = world.store.folder.path(of: "table.csv")
        let words = [path, "--skip-bad", world.store.folder.path(of: "bad.ndjson")]
        func write(bad: Int) throws {
            let rows = (1...200).map { "\($0),gold,\($0 <= bad ? "x" : "5")\n" }
            try world.store.folder.write(
                "originalTransactionId,segment,score\n" + rows.joined(), to: "table.csv")
        }
        try write(bad: 2)
        let run = try world.build([path])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.errors.hasPrefix(
                """
                \(path): warning: facts.skipped-rows: 2 bad rows were left out
                \(path):2:8: warning: facts.bad-value: score: "x" is not a whole number of 64 bits; 2 rows in all

                """.dropLast()
            ),
            "\(run.errors)"
        )
        #expect(try world.rows()["1"] == nil && world.rows()["3"]?.root.member("score")?.int64 == 5)
        #expect(try world.build(words).status == 0)
        #expect(try world.store.folder.read("bad.ndjson").count { $0 == UInt8(ascii: "\n") } == 2)
        try write(bad: 3)
        let refused = try world.build(words)
        #expect(refused.status == 65 && refused.errors.contains("facts.too-many-bad-rows: 3 of 200 rows"))
        #expect(try world.build(words + ["--max-bad", "2"]).status == 0)
        #expect(try world.build(["--max-bad", "2"]).status == 64)
    }

    @Test("takes the value of the other source where the preferred one has none")
    func fallback() throws {
        let world = try FactsBuildWorld(.sqlite, count: 5)
        let (known, other) = (String(StoreWorld.subscription(1)), String(StoreWorld.subscription(2)))
        try world.schema(#""price": "int", "lastOfferIdentifier": "string""#)
        try world.store.folder.write(
            "originalTransactionId,price,lastOfferIdentifier\n\(known),5,half\n\(other),,\n", to: "table.csv")
        let table = [world.store.folder.path(of: "table.csv")]
        func row(_ id: String) throws -> JSONDocument? { try world.rows()[id] }
        for source in ["store", "table"] {
            _ = try world.built(table + ["--prefer", source])
            // The store knows of no offer; the table has no price of the other subscriber.
            #expect(try row(known)?.root.member("lastOfferIdentifier")?.string == "half")
            #expect(try row(other)?.root.member("price")?.int64 != nil)
            #expect(try (row(known)?.root.member("price")?.int64 == 5) == (source == "table"))
        }
    }

    @Test("refuses a table that lacks a column of the operator's own")
    func missingColumn() throws {
        let world = try FactsBuildWorld(.sqlite, count: 3)
        try world.schema(#""price": "int", "segment": "string""#)
        try world.store.folder.write("originalTransactionId,price\n77,5\n", to: "own.csv")
        let run = try world.build([world.store.folder.path(of: "own.csv")])
        #expect(run.status == 65 && run.errors.contains("facts.bad-header"), "\(run.errors)")
    }

    @Test(
        "refuses a schema that the store cannot fill",
        arguments: [
            (#""segment": "string""#, "facts.no-source"), (#""inTrail": "bool""#, "there is \"inTrial\""),
            (#""inTrial": "int""#, "facts.type-differs"), (#""expiresAt": "int""#, "facts.type-differs"),
            (#""status": "enum(active, expired)""#, "billingRetry, gracePeriod, revoked"),
            (#""storefront": "enum(USA)""#, "Apple may add values"),
        ]
    )
    func refused(facts: String, words: String) throws {
        let world = try FactsBuildWorld(.sqlite, count: 3)
        try world.schema(facts)
        let run = try world.build()
        #expect(run.status == 65 && run.errors.contains(words), "\(run.errors)")
        #expect(throws: (any Error).self) { try world.store.folder.read("app.facts") }
    }

    @Test(
        "refuses wrong arguments",
        arguments: [
            (["--prefer", "table"], "--prefer needs a table"),
            (["--environment", "Xcode"], "Production and Sandbox"),
            (["a.txt"], "Say --format"),
            (["-"], "Say --format"), (["--app", "0"], "--app must be above 0"),
            (["--at", "yesterday"], "--at"),
        ]
    )
    func arguments(words: [String], message: String) throws {
        let run = try Tool.run(["facts", "build", "--store", "sqlite:/none", "-o", "a.facts"] + words)
        #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
}
