extension Span<UInt8> {
    /// The bytes in an array.
    func copied() -> [UInt8] { indices.map { self[$0] } }
}
