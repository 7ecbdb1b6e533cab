internal import NotificationStore

/// The form in which the store keeps pieces: the version of the derivation, the pieces, the range that `recover` must have read,
/// and the pieces for that case. An absent range is 0 to 0, and no pieces follow it. Pieces are their number, and for each its time, a
/// bit for each fact, and the values of the facts whose bits are set. Numbers are little-endian.
extension FactPieces {
    /// The bytes for the store.
    public var bytes: [UInt8] {
        var writer = PieceWriter()
        writer.add(HistoryFacts.version)
        writer.add(pieces)
        writer.add(neededCoverage?.from ?? 0)
        writer.add(neededCoverage?.to ?? 0)
        if let coveredPieces { writer.add(coveredPieces) }
        return writer.bytes
    }

    /// Reads the bytes of the store; nil when they are damaged or another version made them.
    public init?(bytes: [UInt8]) {
        var reader = PieceReader(bytes: bytes)
        guard reader.integer() == HistoryFacts.version, let pieces = reader.pieces(),
            let from = reader.integer(),
            let to = reader.integer()
        else { return nil }
        let needed = TimeRange(from: from, to: to)
        if needed.isEmpty {
            self.init(pieces: pieces, coveredPieces: nil, neededCoverage: nil)
        } else {
            guard let covered = reader.pieces() else { return nil }
            self.init(pieces: pieces, coveredPieces: covered, neededCoverage: needed)
        }
        guard reader.isAtEnd else { return nil }
    }
}

private struct PieceWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }

    mutating func add(_ pieces: [FactPiece]) {
        add(Int64(pieces.count))
        for piece in pieces {
            add(piece.from)
            var present: UInt64 = 0
            for fact in piece.values.keys { present |= 1 << UInt64(fact.rawValue) }
            add(Int64(bitPattern: present))
            for fact in SubscriberFact.allCases { piece.values[fact].map { add($0) } }
        }
    }

    mutating func add(_ value: HistoryValue) {
        switch value {
        case .boolean(let flag): bytes.append(flag ? 1 : 0)
        case .integer(let number), .date(let number): add(number)
        case .string(let text):
            let text = Array(text.utf8)
            add(Int64(text.count))
            bytes += text
        }
    }
}

private struct PieceReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func integer() -> Int64? {
        guard bytes.count - place >= 8 else { return nil }
        defer { place += 8 }
        var number: UInt64 = 0
        for offset in (0..<8).reversed() { number = number << 8 | UInt64(bytes[place + offset]) }
        return Int64(bitPattern: number)
    }

    /// The most pieces of one subscriber.
    private static let greatestCount: Int64 = 4096

    mutating func pieces() -> [FactPiece]? {
        guard let count = integer(), (1...Self.greatestCount).contains(count) else { return nil }
        var pieces: [FactPiece] = []
        for _ in 0..<count {
            guard let from = integer(), let present = integer() else { return nil }
            var values = Dictionary<SubscriberFact, HistoryValue>(minimumCapacity: present.nonzeroBitCount)
            for fact in SubscriberFact.allCases where present >> Int64(fact.rawValue) & 1 == 1 {
                guard let value = value(of: fact) else { return nil }
                values[fact] = value
            }
            pieces.append(FactPiece(from: from, values: values))
        }
        return pieces
    }

    mutating func value(of fact: SubscriberFact) -> HistoryValue? {
        switch fact.kind {
        case .boolean:
            guard place < bytes.count, bytes[place] <= 1 else { return nil }
            defer { place += 1 }
            return .boolean(bytes[place] == 1)
        case .integer: return integer().map(HistoryValue.integer)
        case .date: return integer().map(HistoryValue.date)
        case .string:
            guard let count = integer(), count >= 0, count <= Int64(bytes.count - place) else { return nil }
            let text = String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
            place += Int(count)
            return .string(text)
        }
    }
}
