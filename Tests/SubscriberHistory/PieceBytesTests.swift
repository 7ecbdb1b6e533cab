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

    @Test("keep the bytes of a text, also where another text looks alike")
    func lookalikes() throws {
        let (one, two) = (HistoryValue.string("caf\u{E9}"), HistoryValue.string("cafe\u{301}"))
        #expect(one != two && one == .string("caf\u{E9}"))
        #expect(HistoryValue.integer(1) != .date(1) && HistoryValue.boolean(true) == .boolean(true))
        let sample = try #require(samples().first { $0.pieces.first != nil })
        var pieces = [try #require(sample.pieces.first)]
        for (step, value) in [one, two, one].enumerated() {
            var values = pieces[0].values
            values[.lastOfferIdentifier] = value
            pieces.append(FactPiece(from: pieces[0].from + Int64(step) + 1, values: values))
        }
        let all = FactPieces(pieces: pieces, coveredPieces: nil, neededCoverage: nil)
        #expect(try #require(FactPieces(bytes: all.bytes)).pieces == pieces)
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
        // The first piece for a covered range has only what differs from the first one without it.
        let piece = FactPieces(pieces: [pieces[0]], coveredPieces: nil, neededCoverage: nil)
        let other = FactPieces(
            pieces: [pieces[0]],
            coveredPieces: [pieces[4]],
            neededCoverage: TimeRange(from: 1, to: 2)
        )
        #expect(other.bytes.count - piece.bytes.count == 8 + 24 + 8)
    }

    /// The bytes of numbers, little-endian.
    private static func words(_ numbers: [Int64]) -> [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) } }
    }

    private static let version = HistoryFacts.version
    private static let number = SubscriberFact.paidPeriods.bit
    private static let text = SubscriberFact.currentProductId.bit
    private static let flag = SubscriberFact.inTrial.bit

    /// Bytes that look like pieces and are none.
    private static let refused: [(what: String, bytes: [UInt8])] = [
        ("a value that is nowhere", words([version, 1, 5, number, 0, 0, 0])),
        (
            "a fact that was missing before",
            words([version, 3, 5, number, number, 7, 6, 0, 0, 7, number, 0, 0, 0])
        ),
        ("a value of a missing fact", words([version, 1, 5, 0, number, 7, 0, 0])),
        ("an unknown fact", words([version, 1, 5, 1 << 37, 1 << 37, 7, 0, 0])),
        ("the highest bit", words([version, 1, 5, .min, .min, 7, 0, 0])),
        ("a negative length", words([version, 1, 5, text, text, -1, 0, 0])),
        ("the greatest length", words([version, 1, 5, text, text, .max, 0, 0])),
        ("a length behind the end", words([version, 1, 5, text, text, 17, 0, 0])),
        ("a text up to the end", words([version, 1, 5, text, text, 16, 0, 0])),
        ("no piece", words([version, 0, 0, 0])),
        ("a negative number of pieces", words([version, -1, 0, 0])),
        ("too many pieces", words([version, 4097] + [Int64](repeating: 0, count: 3 * 4097 + 2))),
        ("another version", words([version - 1, 1, 5, number, number, 7, 0, 0])),
        ("a Boolean of 2", words([version, 1, 5, flag, flag]) + [2] + words([0, 0])),
        ("a range without pieces", words([version, 1, 5, number, number, 7, 1, 2])),
        ("pieces without a range", words([version, 1, 5, number, number, 7, 0, 0, 1, 5, number, 0])),
    ]

    @Test("are refused when they are no pieces", arguments: refused)
    func wrong(what: String, bytes: [UInt8]) {
        #expect(FactPieces(bytes: bytes) == nil)
        #expect(FactPieces.piece(in: bytes, at: .max, covered: []) == nil)
    }

    @Test("are read when nothing is wrong with them, and a text that is not UTF-8 is repaired")
    func right() throws {
        let (version, number, flag, text) = (Self.version, Self.number, Self.flag, Self.text)
        let bytes: [[UInt8]] = [
            Self.words([version, 1, 5, number, number, 7, 0, 0]),
            Self.words([version, 3, 5, number, number, 7, 6, 0, 0, 7, number, number, 8, 0, 0]),
            Self.words([version, 1, 5, flag, flag]) + [1] + Self.words([0, 0]),
            Self.words([version, 1, 5, number, number, 7, 1, 2, 1, 5, number, 0]),
            Self.words([version, 4096] + [Int64](repeating: 0, count: 3 * 4096 + 2)),
        ]
        for bytes in bytes { #expect(FactPieces(bytes: bytes) != nil) }
        let broken = Self.words([version, 1, 5, text, text, 1]) + [0xFF] + Self.words([0, 0])
        let piece = try #require(FactPieces.piece(in: broken, at: 5, covered: []))
        #expect(piece.value(.currentProductId) == .string("\u{FFFD}"))
        #expect(piece.withText(.currentProductId) { $0.count } == 1)
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
