import NotificationStore
import SubscriberHistory
import Support
import Testing

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
                    #expect(piece == pieces.piece(at: now, covered: covered))
                }
            }
            #expect(FactPieces.piece(in: pieces.bytes + [0], at: .max, covered: []) == nil)
        }
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
                #expect(last == read?.piece(at: .max))
            }
        }
        #expect(FactPieces(bytes: []) == nil)
    }
}
