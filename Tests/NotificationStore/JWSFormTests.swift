import Cryptography
import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("The form in which a row keeps a JWS")
struct JWSFormTests {
    /// Rebuilds a JWS from its form as a reader of the store does.
    private func rebuilt(_ form: JWSForm, _ nested: [[UInt8]], _ offsets: [Int?]) throws -> [UInt8] {
        switch form {
        case .whole(let jws): return jws
        case .parts(let headerText, let payload, let signature):
            // The store has the decoded header.
            let decoded = Base64URL.decode(headerText.span)
            let header = try #require(decoded)
            return JWSForm.assemble(
                headerText: Base64URL.encode(header.span),
                payload: payload,
                signature: signature,
                nested: zip(offsets, nested).compactMap { offset, text in
                    offset.map { NestedText(offset: $0, text: text) }
                }
            )
        }
    }

    @Test("gives back any bytes, whatever they are")
    func anyBytes() throws {
        var generator = SeededGenerator(for: "forms of any bytes")
        let alphabet = Array("AB-_.\"\\=+/ \u{0}é".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let jws = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let (form, offsets) = JWSForm.of(.text(jws), nested: [])
            #expect(try rebuilt(form, [], offsets) == jws)
        }
    }

    @Test("gives back any payload with any nested texts in it")
    func anyPayload() throws {
        var generator = SeededGenerator(for: "forms of any payloads")
        let words = ["\"", "a", "aa", "\\", "}{", ":", "b.b.b", "\"a\"", "é"].map { Array($0.utf8) }
        var cutCount = 0
        for _ in 0..<20_000 {
            let payload = (0..<Int.random(in: 0..<20, using: &generator)).flatMap { _ in
                words.randomElement(using: &generator) ?? []
            }
            let nested = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? []
            }
            let jws = Array("e30.".utf8) + Base64URL.encode(payload.span) + Array(".AAAA".utf8)
            let (form, offsets) = JWSForm.of(
                .text(jws),
                nested: nested.map { JWSForm.Nested(text: $0, offset: nil) }
            )
            #expect(try rebuilt(form, nested, offsets) == jws)
            #expect(offsets.count == nested.count)
            cutCount += offsets.compactMap(\.self).count
        }
        #expect(cutCount > 1000)
    }

    @Test("stores batches with more headers than a connection remembers", arguments: StoreSystem.allCases)
    func manyHeaders(system: StoreSystem) throws {
        let place = try TestStore(system)
        let sample = try Sample()
        var items: [StoreItem] = []
        for number in 0..<150 {
            let header = Base64URL.encode(Array("{\"kid\":\"\(number)\"}".utf8).span)
            let jws = header + Array(".e30.AAAA".utf8)
            let notification = StoredNotification(
                proof: sample.proof, jws: jws, identity: .init(app: "a", environment: "e", uuid: "\(number)"),
                columns: NotificationColumns())
            items.append(StoreItem(.notification(notification), source: .push, receivedAt: 1))
        }
        let store = try place.open()
        #expect(store.store(items).allSatisfy { $0 == .stored })
        #expect(try store.everyJWS() == items.map(\.jws))
        #expect(try store.statistics().wholeCount == 0 && store.statistics().headerCount == 150)
        #expect(store.store(items).allSatisfy { $0 == .alreadyThere })
    }

    @Test(
        "keeps rows that can be read again after somebody has emptied the tables",
        arguments: StoreSystem.allCases
    )
    func emptied(system: StoreSystem) throws {
        let place = try TestStore(system)
        let sample = try Sample()
        let store = try place.open()
        #expect(store.store([try sample.renewed(Sample.Period(number: 1))]) == [.stored])
        let tables: [SQLText] = ["notifications", "transactions", "renewals", "headers"]
        let connection = try place.connect()
        for table in tables { try connection.run("DELETE FROM " + table) }
        if system == .postgreSQL { try connection.run("TRUNCATE headers RESTART IDENTITY") }
        let item = try sample.renewed(Sample.Period(number: 2))
        #expect(store.store([item]) == [.stored])
        #expect(try place.open(.read).everyJWS() == [item.jws])
        #expect(try place.number("SELECT COUNT(*) FROM headers") == 1)
    }

    @Test("takes at most half of the bytes that were received, with all indexes")
    func size() throws {
        let place = try TestStore(.sqlite)
        let sample = try Sample()
        var received = 0
        let store = try place.open()
        for batch in 0..<10 {
            let items = try (0..<30).map { number in
                try sample.renewed(Sample.Period(number: batch * 30 + number, subscriber: number))
            }
            #expect(store.store(items).allSatisfy { $0 == .stored })
            for item in items { received += TestSigner.body(item.jws).count }
        }
        try store.compact()
        let size = try store.size()
        print("figures: \(size.byteCount) bytes in SQLite for \(received) bytes received")
        #expect(Double(size.byteCount) <= 0.5 * Double(received))
    }

    @Test("puts a nested text at the nearest end of the payload when a damaged row names no place in it")
    func farOffsets() {
        let short = Array("abc".utf8)
        for (offsets, wanted) in [
            ([Int.min], "Xabc"), ([-1], "Xabc"), ([Int.max], "abcX"), ([1, Int.max], "aXbcX"),
            ([Int.min, Int.max], "XabcX"), ([Int.max - 1, Int.max], "abcXX"), ([Int.min, Int.min], "XXabc"),
        ] {
            let nested = offsets.map { NestedText(offset: $0, text: Array("X".utf8)) }
            #expect(NestedText.insert(nested, into: short) == Array(wanted.utf8), "\(offsets)")
        }
    }
}
