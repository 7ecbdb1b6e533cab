internal import JSON

extension JSONNode {
    /// Makes the value of a JSON text; nil when the text is not JSON.
    init?(parsing text: [UInt8]) {
        let limits = JSONLimits(byteCount: Input.limitBytes, depth: 64)
        guard let document = try? JSONDocument(parsing: text.span, limits: limits) else { return nil }
        self.init(document.root)
    }
}
