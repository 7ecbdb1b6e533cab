public import NotificationStore

/// The form in which the store keeps pieces: the version of the derivation, the pieces, the range that `recover` must have read,
/// and the pieces for that case. An absent range is 0 to 0, and no pieces follow it. Pieces are their number, and for each its time, a
/// bit for each fact, and the values of the facts whose bits are set. Numbers are little-endian.
extension FactPieces {
    /// The bytes for the store.
    public var bytes: [UInt8] {
        var writer = PieceWriter()
        writer.reserveCapacity(Self.usualByteCount)
        writer.add(HistoryFacts.version)
        writer.add(pieces)
        writer.add(neededCoverage?.from ?? 0)
        writer.add(neededCoverage?.to ?? 0)
        if let coveredPieces { writer.add(coveredPieces) }
        return writer.bytes
    }

    /// In place of pieces: the subscriber has more than ``NotificationStore/subscriberRowCount`` rows of a kind, as only a test
    /// account or a mistake has, and no facts.
    public static let tooLarge: [UInt8] = {
        var writer = PieceWriter()
        writer.add(HistoryFacts.version)
        writer.add([])
        return writer.bytes
    }()

    /// More than the bytes of most subscribers.
    private static let usualByteCount = 2048

    /// Reads the bytes of the store; nil when they are damaged or another version made them.
    public init?(bytes: [UInt8]) {
        guard var stored = StoredPieces(bytes: bytes) else { return nil }
        self.init(
            pieces: stored.plain.map { stored.reader.piece($0) },
            coveredPieces: stored.covered.map { $0.map { stored.reader.piece($0) } },
            neededCoverage: stored.neededCoverage
        )
    }

    /// Reads the piece of a time alone: ``piece(at:covered:)`` of the pieces in the bytes of the store.
    ///
    /// - Returns: the piece; nil when the bytes are damaged, when another version made them, or when they have no such piece.
    public static func piece(in bytes: [UInt8], at now: Int64, covered: [TimeRange]) -> FactPiece? {
        guard var stored = StoredPieces(bytes: bytes) else { return nil }
        let isCovered = stored.neededCoverage.map { $0.isInside(covered) } ?? false
        let chosen = isCovered ? stored.covered ?? stored.plain : stored.plain
        return chosen.last { $0.from <= now }.map { stored.reader.piece($0) }
    }
}

/// Where the pieces of a subscriber stand in the bytes of the store, all of which were checked.
private struct StoredPieces {
    let plain: [PieceReader.Place]
    let covered: [PieceReader.Place]?
    let neededCoverage: TimeRange?
    var reader: PieceReader

    init?(bytes: [UInt8]) {
        reader = PieceReader(bytes: bytes)
        guard reader.integer() == HistoryFacts.version, let plain = reader.pieces(),
            let from = reader.integer(),
            let to = reader.integer()
        else { return nil }
        self.plain = plain
        let needed = TimeRange(from: from, to: to)
        if needed.isEmpty {
            (covered, neededCoverage) = (nil, nil)
        } else {
            guard let pieces = reader.pieces() else { return nil }
            (covered, neededCoverage) = (pieces, needed)
        }
        guard reader.isAtEnd else { return nil }
    }
}

private struct PieceWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

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
            for fact in FactValues.facts where piece.values[fact] != nil {
                present |= 1 << UInt64(fact.rawValue)
            }
            add(Int64(bitPattern: present))
            for fact in FactValues.facts { piece.values[fact].map { add($0) } }
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

    /// A piece in the bytes.
    struct Place {
        /// The time from which it holds.
        let from: Int64
        /// A bit for each fact.
        let present: Int64
        /// Where the values begin.
        let values: Int
    }

    /// Goes through pieces without making their values; nil when they are damaged.
    mutating func pieces() -> [Place]? {
        guard let count = integer(), (1...Self.greatestCount).contains(count) else { return nil }
        var pieces: [Place] = []
        for _ in 0..<count {
            guard let from = integer(), let present = integer() else { return nil }
            pieces.append(Place(from: from, present: present, values: place))
            for fact in FactValues.facts where present >> Int64(fact.rawValue) & 1 == 1 {
                guard skipValue(of: fact) else { return nil }
            }
        }
        return pieces
    }

    /// Makes a piece that ``pieces()`` went through.
    mutating func piece(_ piece: Place) -> FactPiece {
        place = piece.values
        var values = FactValues()
        for fact in FactValues.facts where piece.present >> Int64(fact.rawValue) & 1 == 1 {
            values[fact] = value(of: fact)
        }
        return FactPiece(from: piece.from, values: values)
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

    private mutating func value(of fact: SubscriberFact) -> HistoryValue? {
        switch fact.kind {
        case .boolean:
            defer { place += 1 }
            return .boolean(bytes[place] == 1)
        case .integer: return integer().map(HistoryValue.integer)
        case .date: return integer().map(HistoryValue.date)
        case .string:
            guard let length = integer() else { return nil }
            let text = String(decoding: bytes[place..<place + Int(length)], as: UTF8.self)
            place += Int(length)
            return .string(text)
        }
    }
}
