internal import Cryptography

/// Looks for identifiers in bytes that nobody has verified, such as a nested JWS that failed its check. What is found here
/// may keep a subscriber out who was erased. Nothing else may follow from it.
enum PayloadText {
    /// Returns the decoded forms of all runs of base64url characters that are long enough to be a part of a JWS.
    static func decodedParts(of text: [UInt8]) -> [[UInt8]] {
        text.split { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.filter { $0.count >= 20 }.compactMap { Base64URL.decode(Array($0).span) }
    }

    /// Returns true when JSON has an identifier as a whole value: a text, or a whole number. A short one, which other values
    /// may equal, counts only under a name that ends in `ransactionId`.
    static func hasValue(_ text: [UInt8], _ identifier: [UInt8]) -> Bool {
        var place = 0
        while let end = firstEnd(of: identifier, in: text, from: place) {
            let start = end - identifier.count
            if isValue(start..<end, in: text) { return true }
            place = start + 1
        }
        return false
    }

    /// The fewest bytes of an identifier that nothing else equals. Apple's have 15 and more.
    private static let plainByteCount = 10
    private static let nameEnd = Array("ransactionId".utf8)

    private static func isValue(_ place: Range<Int>, in text: [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        let isQuoted = text[..<place.lowerBound].last == quote && text[place.upperBound...].first == quote
        let isNumber = text[place].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isQuoted || isNumber else { return false }
        let margin = isQuoted ? 1 : 0
        let before = withoutSpaces(text[..<(place.lowerBound - margin)])
        guard let next = text[(place.upperBound + margin)...].first(where: { !isSpace($0) }),
            let last = before.last, ",}]".utf8.contains(next), ":,[".utf8.contains(last)
        else { return false }
        guard place.count < plainByteCount else { return true }
        let name = withoutSpaces(before.dropLast())
        guard last == UInt8(ascii: ":"), name.last == quote else { return false }
        return name.dropLast().suffix(nameEnd.count).elementsEqual(nameEnd)
    }

    private static func withoutSpaces(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix((text.lastIndex { !isSpace($0) } ?? text.startIndex - 1) - text.startIndex + 1)
    }

    static func subjects(of jws: [UInt8], at time: Int64) -> Set<TombstoneSubject> {
        subjects(in: decodedParts(of: jws).flatMap { [$0] + decodedParts(of: $0) }, at: time)
    }

    static func subjects(in texts: [[UInt8]], at time: Int64) -> Set<TombstoneSubject> {
        var found: Set<TombstoneSubject> = []
        for text in texts {
            found.formUnion(values(of: "originalTransactionId", in: text).map { .originalTransaction($0) })
            found.formUnion(
                values(of: "previousOriginalTransactionId", in: text).map { .predecessor($0, at: time) })
            found.formUnion(values(of: "appTransactionId", in: text).map { .appTransaction($0) })
        }
        return found
    }

    private static func values(of name: String, in text: [UInt8]) -> [String] {
        let quoted = Array("\"\(name)\"".utf8)
        var values: [String] = []
        var place = 0
        while let end = firstEnd(of: quoted, in: text, from: place) {
            place = end
            let value = text[end...].drop(while: isSpace)
            guard value.first == UInt8(ascii: ":") else { continue }
            let content = value.dropFirst().drop(while: isSpace)
            let identifier =
                content.first == UInt8(ascii: "\"")
                ? content.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
                : content.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard let id = String(validating: identifier, as: UTF8.self), !id.isEmpty, ColumnText.fits(id)
            else { continue }
            values.append(id)
        }
        return values
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func firstEnd(of part: [UInt8], in text: [UInt8], from: Int) -> Int? {
        guard let first = part.first else { return nil }
        var place = from
        while let found = ByteComparison.firstIndex(of: first, in: text.span, from: place) {
            guard found + part.count <= text.count else { return nil }
            if text[found..<found + part.count].elementsEqual(part) { return found + part.count }
            place = found + 1
        }
        return nil
    }
}
