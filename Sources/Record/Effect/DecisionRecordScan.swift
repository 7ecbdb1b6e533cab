internal import Cryptography
internal import NotificationStore
internal import System

/// Reads decision records as the service writes them, several times as fast as JSON is read: a first report reads millions. The members
/// are always the same and in the same order, and the long middle of a record, what was drawn and served, is the same in thousands.
///
/// A record that is written in any other way is read as JSON, and so is each new middle.
struct DecisionRecordScan {
    private struct Middle {
        let bytes: [UInt8]
        let draws: DecisionDraws
        let served: String
    }

    /// By the hash of the bytes.
    private var middles: [UInt64: Middle] = [:]
    /// What is served differs by message and locale.
    private static let middleCount = 20_000

    /// Reads the line in a range of `bytes`.
    mutating func line(_ bytes: [UInt8], _ range: Range<Int>) -> DecisionLine? {
        let text = bytes.span.extracting(range)
        var cursor = LineCursor(bytes, range)
        guard let head = RecordHead(&cursor), let tail = RecordTail(bytes, cursor.place..<range.upperBound)
        else { return DecisionLine(text) }
        let middle = bytes.span.extracting(cursor.place..<tail.start)
        let hash = middle.wordHash
        if let known = middles[hash], ByteComparison.areEqual(known.bytes.span, middle) {
            return head.line(tail, known.draws, known.served)
        }
        let line = DecisionLine(text)
        guard case .record(let record, _) = line else { return line }
        if middles.count >= Self.middleCount { middles = [:] }
        middles[hash] = Middle(bytes: middle.copied(), draws: record.draws, served: record.served)
        return line
    }
}

/// The members before `rule`.
private struct RecordHead {
    let origin: DecisionLine.Origin
    let signedAt: Int64
    let request: UUID
    let subscriber: UUID
    let app: Int64
    let environment: String
    let product: String

    init?(_ cursor: inout LineCursor) {
        guard cursor.skip("{\"time\":\""), let time = cursor.time(), cursor.skip("\",\"signedDate\":\""),
            let signedAt = cursor.time(), cursor.skip("\",\"instance\":\""), let instance = cursor.text(),
            cursor.skip("\",\"sequence\":"), let sequence = cursor.number(), sequence > 0,
            cursor.skip(",\"requestIdentifier\":\""), let request = cursor.uuid(byteCount: 36),
            cursor.skip("\",\"subscriber\":\""), let subscriber = cursor.uuid(byteCount: 32),
            cursor.skip("\",\"app\":"), let app = cursor.number(), cursor.skip(",\"environment\":\""),
            let environment = cursor.text(), cursor.skip("\",\"product\":\""), let product = cursor.text(),
            cursor.skip("\",\"locale\":\""), cursor.text() != nil, cursor.skip("\",\"rule\":")
        else { return nil }
        origin = DecisionLine.Origin(instance: instance, sequence: sequence, time: time)
        (self.signedAt, self.request, self.subscriber) = (signedAt, request, subscriber)
        (self.app, self.environment, self.product) = (app, environment, product)
    }

    func line(_ tail: RecordTail, _ draws: DecisionDraws, _ served: String) -> DecisionLine {
        let record = DecisionBatch.Record(
            subscriber: subscriber, signedAt: signedAt, request: request, app: app, environment: environment,
            digest: tail.digest, draws: draws, product: product, served: served)
        return .record(record, origin)
    }
}

/// The members from `digest` on.
private struct RecordTail {
    let start: Int
    let digest: String

    private static let name: StaticString = ",\"digest\":\""
    /// The tail is no longer than this: a digest has 64 bytes, and a number at most 18.
    private static let byteCount = 170

    init?(_ bytes: [UInt8], _ range: Range<Int>) {
        let least = max(range.lowerBound, range.upperBound - Self.byteCount)
        for start in least..<range.upperBound where bytes[start] == UInt8(ascii: ",") {
            var cursor = LineCursor(bytes, start..<range.upperBound)
            guard cursor.skip(Self.name) else { continue }
            guard let digest = cursor.text(), cursor.skip("\",\"verifyMicroseconds\":"),
                cursor.number() != nil, cursor.skip(",\"totalMicroseconds\":"), cursor.number() != nil,
                cursor.skip("}"), cursor.place == range.upperBound
            else { return nil }
            (self.start, self.digest) = (start, digest)
            return
        }
        return nil
    }
}

private struct LineCursor {
    private let bytes: [UInt8]
    private(set) var place: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        (self.bytes, place, end) = (bytes, range.lowerBound, range.upperBound)
    }

    mutating func skip(_ text: StaticString) -> Bool {
        let range = place..<place + text.utf8CodeUnitCount
        guard range.upperBound <= end, bytes.span.extracting(range).isEqual(to: text) else { return false }
        place = range.upperBound
        return true
    }

    /// Up to the quote. Nil for a text that JSON may have written otherwise.
    mutating func text() -> String? {
        let start = place
        while place < end, bytes[place] != UInt8(ascii: "\"") {
            guard (0x20..<0x7F).contains(bytes[place]), bytes[place] != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        return place < end ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    /// A whole number without a sign, as JSON writes it.
    mutating func number() -> Int64? {
        let start = place
        let value = digits(atMost: 18)
        // A zero stands alone.
        return place == start || place > start + 1 && bytes[start] == UInt8(ascii: "0") ? nil : value
    }

    private mutating func digits(atMost count: Int) -> Int64 {
        let last = min(end, place + count)
        var value: Int64 = 0
        while place < last, bytes[place] &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int64(bytes[place] &- UInt8(ascii: "0"))
            place += 1
        }
        return value
    }

    /// `2026-11-21T01:52:19.123Z`
    mutating func time() -> Int64? {
        let start = place
        let year = digits(atMost: 4)
        guard skip("-") else { return nil }
        let month = digits(atMost: 2)
        guard skip("-") else { return nil }
        let day = digits(atMost: 2)
        guard skip("T") else { return nil }
        let hour = digits(atMost: 2)
        guard skip(":") else { return nil }
        let minute = digits(atMost: 2)
        guard skip(":") else { return nil }
        let second = digits(atMost: 2)
        guard skip(".") else { return nil }
        let millisecond = digits(atMost: 3)
        // With all its digits the text has this length.
        guard skip("Z"), place - start == 24, hour < 24, minute < 60, second < 60,
            let days = CivilTime.days(year: year, month: month, day: day)
        else { return nil }
        return (days * 86_400 + hour * 3600 + minute * 60 + second) * 1000 + millisecond
    }

    /// A UUID, or a pseudonym of 32 digits.
    mutating func uuid(byteCount: Int) -> UUID? {
        guard end - place >= byteCount else { return nil }
        let range = place..<place + byteCount
        place += byteCount
        let text = bytes.span.extracting(range)
        return byteCount == 32 ? UUID(digits: text) : UUID(text)
    }
}
