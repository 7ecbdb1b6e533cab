public import NotificationStore

/// The form in which the store keeps pieces: the version of the derivation, the pieces, the range that `recover` must have read,
/// and the pieces for that case. An absent range is 0 to 0, and no pieces follow it.
///
/// Pieces are their number, and for each its time, a bit for each fact that has a value, a bit for each of them whose value is
/// another one than in the piece before, and these values in the order of the facts. The first piece for the range comes after the
/// first piece without it. A string is its length and its bytes. Numbers have eight bytes, little-endian; a Boolean has one.
extension FactPieces {
    /// The bytes for the store.
    public var bytes: [UInt8] {
        var writer = PieceWriter()
        writer.add(HistoryFacts.version)
        writer.add(pieces, after: nil)
        writer.add(neededCoverage?.from ?? 0)
        writer.add(neededCoverage?.to ?? 0)
        if let coveredPieces { writer.add(coveredPieces, after: pieces.first) }
        return writer.bytes
    }

    /// In place of pieces: the subscriber has more than ``NotificationStore/subscriberRowCount`` rows of a kind, as only a test
    /// account or a mistake has, and no facts.
    public static let tooLarge: [UInt8] = {
        var writer = PieceWriter()
        writer.add(HistoryFacts.version)
        writer.add([], after: nil)
        return writer.bytes
    }()

    /// Reads the bytes of the store; nil when they are damaged or another version made them.
    public init?(bytes: [UInt8]) {
        var reader = PieceReader(bytes: bytes)
        var (plain, covered): ([FactPiece], [FactPiece]) = ([], [])
        let needed = reader.read { isCovered, piece in
            if isCovered { covered.append(FactPiece(piece)) } else { plain.append(FactPiece(piece)) }
        }
        guard let needed else { return nil }
        self.init(
            pieces: plain,
            coveredPieces: needed.isEmpty ? nil : covered,
            neededCoverage: needed.isEmpty ? nil : needed
        )
    }

    /// Reads the piece of a time alone: ``piece(at:covered:)`` of the pieces in the bytes of the store.
    ///
    /// - Returns: the piece; nil when the bytes are damaged, when another version made them, or when they have no such piece.
    public static func piece(in bytes: [UInt8], at now: Int64, covered: [TimeRange]) -> StoredPiece? {
        var reader = PieceReader(bytes: bytes)
        var (plain, other): (StoredPiece?, StoredPiece?) = (nil, nil)
        let needed = reader.read { isCovered, piece in
            guard piece.from <= now else { return }
            if isCovered { other = piece } else { plain = piece }
        }
        guard let needed else { return nil }
        return !needed.isEmpty && needed.isInside(covered) ? other : plain
    }
}

private struct PieceWriter {
    private(set) var bytes: [UInt8] = []

    /// More than the bytes of most subscribers.
    private static let usualByteCount = 1024

    init() { bytes.reserveCapacity(Self.usualByteCount) }

    mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }

    mutating func add(_ pieces: [FactPiece], after piece: FactPiece?) {
        add(Int64(pieces.count))
        var last = piece?.values ?? FactValues()
        for piece in pieces {
            var (present, changed): (Int64, Int64) = (0, 0)
            for fact in FactValues.facts {
                guard let value = piece.values[fact] else { continue }
                present |= fact.bit
                if last[fact] != value { changed |= fact.bit }
            }
            add(piece.from)
            add(present)
            add(changed)
            for fact in FactValues.facts where changed & fact.bit != 0 { piece.values[fact].map { add($0) } }
            last = piece.values
        }
    }

    private mutating func add(_ value: HistoryValue) {
        switch value {
        case .boolean(let flag): bytes.append(flag ? 1 : 0)
        case .integer(let number), .date(let number): add(number)
        case .string(let text):
            add(Int64(text.utf8.count))
            bytes += text.utf8
        }
    }
}

/// Goes through the bytes of the store.
private struct PieceReader {
    private let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads everything.
    ///
    /// - Parameter take: called with each piece, and true when it is one for a store that has every notification of the range.
    /// - Returns: the range that `recover` must have read, empty when there is none; nil when the bytes are damaged or another
    ///   version made them.
    mutating func read(_ take: (_ isCovered: Bool, StoredPiece) -> Void) -> TimeRange? {
        // The places of values are kept in 32 bits.
        guard bytes.count <= UInt32.max, integer() == HistoryFacts.version,
            let first = pieces(after: StoredPiece(bytes), { take(false, $0) }),
            let from = integer(),
            let to = integer()
        else { return nil }
        let needed = TimeRange(from: from, to: to)
        guard needed.isEmpty || pieces(after: first, { take(true, $0) }) != nil, place == bytes.count else {
            return nil
        }
        return needed
    }

    /// The most pieces of one subscriber.
    private static let greatestCount: Int64 = 4096

    /// Reads pieces that come after another one. Returns the first; nil when they are damaged.
    private mutating func pieces(after last: StoredPiece, _ take: (StoredPiece) -> Void) -> StoredPiece? {
        guard let count = integer(), (1...Self.greatestCount).contains(count) else { return nil }
        var (piece, first): (StoredPiece, StoredPiece?) = (last, nil)
        for _ in 0..<count {
            guard let from = integer(), let present = integer(), let changed = integer(),
                present & ~SubscriberFact.allBits == 0, changed & ~present == 0,
                present & ~(piece.present | changed) == 0
            else { return nil }
            (piece.from, piece.present) = (from, present)
            var rest = UInt64(bitPattern: changed)
            while rest != 0 {
                let fact = FactValues.facts[rest.trailingZeroBitCount]
                rest &= rest - 1
                piece.places[fact.rawValue] = UInt32(truncatingIfNeeded: place)
                guard skipValue(of: fact) else { return nil }
            }
            first = first ?? piece
            take(piece)
        }
        return first
    }

    private mutating func integer() -> Int64? {
        guard bytes.count - place >= 8 else { return nil }
        defer { place += 8 }
        return bytes.integer(at: place)
    }

    private mutating func skipValue(of fact: SubscriberFact) -> Bool {
        let count: Int
        switch fact.kind {
        case .boolean:
            guard place < bytes.count, bytes[place] <= 1 else { return false }
            count = 1
        case .integer, .date: count = 8
        case .string:
            guard let length = integer(), length >= 0, length <= Int64(bytes.count) else { return false }
            count = Int(length)
        }
        guard count <= bytes.count - place else { return false }
        place += count
        return true
    }
}
