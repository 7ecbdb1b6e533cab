import NotificationStore
import Support
import Testing

@testable import SubscriberHistory

@Suite("The bytes of a subscriber's facts", .timeLimit(.minutes(5)))
struct PieceBytesTests {
    /// Pieces of stories that have every kind of value between them, and pieces for a covered range.
    private func samples() -> [FactPieces] {
        Story.all.compactMap { FactPieces($0.payloads) }
    }

    @Test("are read as they were written, and have pieces for a covered range where that changes something")
    func whole() {
        let samples = samples()
        #expect(samples.count > 100 && samples.contains { $0.neededCoverage != nil })
        for pieces in samples {
            #expect(FactPieces(bytes: pieces.bytes) == pieces)
            #expect((pieces.neededCoverage == nil) == (pieces.coveredPieces == nil))
        }
    }

    @Test("give the piece of a time alone")
    func alone() throws {
        for pieces in samples() {
            let all = pieces.pieces + (pieces.coveredPieces ?? [])
            for now in all.flatMap({ [$0.from - 1, $0.from, $0.from + 1] }) + [.min, .max] {
                for covered in [[], pieces.neededCoverage.map { [$0] } ?? []] {
                    let piece = FactPieces.piece(in: pieces.bytes, at: now, covered: covered)
                    #expect(piece.map(FactPiece.init) == pieces.piece(at: now, covered: covered))
                }
            }
            #expect(FactPieces.piece(in: pieces.bytes + [0], at: .max, covered: []) == nil)
        }
    }

    @Test("give each value as a number or as a text, and only one of the two")
    func values() throws {
        var kinds: Set<String> = []
        for pieces in samples() {
            let piece = try #require(FactPieces.piece(in: pieces.bytes, at: .max, covered: []))
            for fact in SubscriberFact.allCases {
                let number = piece.number(fact)
                let text = piece.withText(fact) { bytes in
                    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
                switch pieces.pieces.last?.values[fact] {
                case nil: #expect(number == nil && text == nil)
                case .boolean(let flag): #expect(number == (flag ? 1 : 0) && text == nil)
                case .integer(let value), .date(let value): #expect(number == value && text == nil)
                case .string(let value): #expect(number == nil && text == value)
                }
                kinds.insert(number == nil ? text == nil ? "missing" : "text" : fact.type)
            }
        }
        #expect(kinds.isSuperset(of: ["missing", "text", "bool", "int", "date"]))
    }

    @Test("hold a value that stays the same once")
    func size() throws {
        var values = FactValues()
        values[.currentProductId] = .string(String(repeating: "p", count: 100))
        let pieces = (1...5).map { number in
            values[.paidPeriods] = .integer(Int64(number / 3))
            return FactPiece(from: Int64(number), values: values)
        }
        func bytes(_ count: Int) -> [UInt8] {
            FactPieces(
                pieces: Array(pieces.prefix(count)),
                coveredPieces: pieces,
                neededCoverage: TimeRange(from: 1, to: 2)
            ).bytes
        }
        // Its time and two sets of bits; in the third piece, a number has changed as well.
        #expect(bytes(2).count - bytes(1).count == 24)
        #expect(bytes(3).count - bytes(2).count == 32)
        #expect(FactPieces(bytes: bytes(5))?.pieces == pieces)
        #expect(FactPieces(bytes: bytes(5))?.coveredPieces == pieces)
    }

    @Test("are refused when they are cut or have more bytes, and end no program when they are damaged")
    func damaged() {
        var generator = SeededGenerator(for: "PieceBytesTests.damaged")
        for pieces in samples().prefix(40) {
            let bytes = pieces.bytes
            #expect(FactPieces(bytes: bytes + [0]) == nil)
            for _ in 0..<50 {
                #expect(
                    FactPieces(bytes: Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator))))
                        == nil
                )
                var changed = bytes
                changed[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
                let read = FactPieces(bytes: changed)
                let last = FactPieces.piece(in: changed, at: .max, covered: [])
                #expect(last.map(FactPiece.init) == read?.piece(at: .max))
            }
        }
        #expect(FactPieces(bytes: []) == nil)
    }
}
