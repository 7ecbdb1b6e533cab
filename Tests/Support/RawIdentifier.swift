import Cryptography

package enum RawIdentifier {
    /// Returns true when the identifier occurs: as text, as a number of either byte order, or in base64 at any of its three
    /// alignments.
    package static func occurs(_ identifier: String, in bytes: [UInt8]) -> Bool {
        forms(of: identifier).contains { occurs($0, in: bytes) }
    }

    private static func forms(of identifier: String) -> [[UInt8]] {
        let text = Array(identifier.utf8)
        var forms = [text]
        if let number = UInt64(identifier) {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
            // SQLite leaves out the leading zeros of a number.
            let short = Array(bytes.drop { $0 == 0 })
            forms += [short, short.reversed()]
        }
        for shift in 0..<3 {
            let padded = [UInt8](repeating: 0, count: shift) + text
            for encoded in [Base64URL.encode(padded.span), Base64.encode(padded.span)] {
                // The characters that depend on the neighbours are left out.
                let first = (shift * 8 + 5) / 6
                let last = padded.count * 8 / 6
                forms.append(Array(encoded[first..<last]))
            }
        }
        return forms
    }

    private static func occurs(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = part.first else { return false }
        var place = 0
        while let found = ByteComparison.firstIndex(of: first, in: bytes.span, from: place) {
            let end = found + part.count
            guard end <= bytes.count else { return false }
            if ByteComparison.areEqual(bytes.span.extracting(found..<end), part.span) { return true }
            place = found + 1
        }
        return false
    }
}
