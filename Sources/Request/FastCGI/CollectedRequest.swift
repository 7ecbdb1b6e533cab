/// A request whose bytes the server takes out of the socket: it is larger than one look, comes in pieces or is padded,
/// so libfcgi cannot read it from there.
final class CollectedRequest {
    /// The framing check of the bytes so far.
    private(set) var check: FramingCheck
    /// The content of the bytes so far, rewritten for libfcgi.
    private(set) var kept: PlainRequest

    init(_ settings: FastCGISettings) {
        check = FramingCheck(bodyByteCountLimit: settings.readByteCount)
        kept = PlainRequest(bodyByteCountLimit: settings.bodyByteCount)
    }

    /// Adds the next bytes of the request.
    func add(_ bytes: Span<UInt8>) -> FramingCheck.Verdict {
        check.consume(bytes, into: &kept)
    }
}
