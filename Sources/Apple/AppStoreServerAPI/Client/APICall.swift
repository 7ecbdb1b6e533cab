/// A request of one operation, without the server and the token.
struct APICall {
    let operation: AppStoreServerOperation
    /// The path and the query behind the base URL.
    let path: String
    let body: [UInt8]?
    private let parameters: [(name: String, value: String)]

    /// Makes a request. A parameter that the path does not name goes into the query.
    ///
    /// - Throws: `apple.bad-request` for a parameter of the path that is missing, empty, or dots, which mean another folder.
    init(
        _ operation: AppStoreServerOperation, _ parameters: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) throws(AppStoreServerAPIError) {
        self.operation = operation
        self.parameters = parameters
        // A POST says how long its body is even when it has none (RFC 9110, section 8.6).
        self.body = body ?? (operation.method == "POST" ? [] : nil)
        var path = operation.path
        for name in operation.parameters {
            guard let value = parameters.first(where: { $0.name == name })?.value,
                !["", ".", ".."].contains(value)
            else { throw .invalid("the \(name) is missing, or it cannot be in a path") }
            path = path.replacing("{\(name)}", with: Self.percentEncoded(value))
        }
        let query = parameters.filter { !operation.parameters.contains($0.name) }
            .map { "\(Self.percentEncoded($0.name))=\(Self.percentEncoded($0.value))" }
        self.path = query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    var contentType: String? {
        operation == .uploadImage ? "image/png" : body?.isEmpty == false ? "application/json" : nil
    }

    /// The identifier of the image or message that an upload or a delete is about.
    var identifier: String? {
        parameters.first { ["imageIdentifier", "messageIdentifier"].contains($0.name) }?.value
    }

    /// Encodes every byte but the unreserved characters of RFC 3986 section 2.3.
    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            let digits = String(byte, radix: 16, uppercase: true)
            encoded +=
                isPlain || "-._~".contains(character)
                ? String(character) : (byte < 16 ? "%0" : "%") + digits
        }
        return encoded
    }
}
