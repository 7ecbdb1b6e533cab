internal import Cryptography

/// Remembers the encoded headers of payloads that passed every check, each with its chain. A header that is known is
/// compared byte for byte instead of being decoded, which saves a tenth of a request.
struct HeaderMemory {
    private var headers: [(header: [UInt8], chain: TrustedChain)] = []

    /// Returns the known header at the start of a JWS; nil when none is there.
    mutating func find(_ text: Span<UInt8>) -> (header: [UInt8], chain: TrustedChain)? {
        for index in headers.indices {
            let known = headers[index]
            let count = known.header.count
            guard text.count > count, text[count] == UInt8(ascii: "."),
                ByteComparison.areEqual(text.extracting(first: count), known.header.span)
            else { continue }
            if index > 0 { headers.insert(headers.remove(at: index), at: 0) }
            return known
        }
        return nil
    }

    /// Remembers a header, and drops the one that was not used for the longest time when there are too many.
    ///
    /// - Returns: the header.
    mutating func remember(_ header: Span<UInt8>, _ chain: TrustedChain) -> [UInt8] {
        let bytes = [UInt8](capacity: header.count) { output in
            for index in header.indices { output.append(header[index]) }
        }
        headers.insert((bytes, chain), at: 0)
        if headers.count > SignedPayloadsLimits.headers { headers.removeLast() }
        return bytes
    }
}
