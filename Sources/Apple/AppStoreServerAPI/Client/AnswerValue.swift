internal import HTTPClient
internal import JSON
internal import System

/// A value in an answer, with its path for errors. Members that this version does not know are ignored. A member
/// without a value, `null`, counts as missing.
struct AnswerValue {
    let value: JSONValue
    private let path: String

    /// The deepest nesting of an answer. Apple's answers have three levels.
    private static let depth = 16

    static func root(of response: HTTPResponse) throws(MalformedAnswer) -> AnswerValue {
        try root(of: response.body, isHTML: AnswerJudge.isHTML(response))
    }

    /// Parses the body of an answer, which must be an object.
    static func root(of body: [UInt8], isHTML: Bool = false) throws(MalformedAnswer) -> AnswerValue {
        let limits = JSONLimits(byteCount: AppStoreServerClient.answerByteCount, depth: depth)
        let document = try JSONError.mapped(
            to: { error -> MalformedAnswer in
                if isHTML || looksLikeHTML(body) { return .html }
                switch error {
                case .tooLarge: return .tooLarge
                case .syntax(let position, _) where position.byteOffset >= body.count: return .truncated
                default: return .other("the answer is not the JSON that Apple documents: \(error)")
                }
            },
            try JSONDocument(parsing: body.span, limits: limits)
        )
        guard document.root.kind == .object else { throw .wrong("", expected: "an object") }
        return AnswerValue(value: document.root, path: "")
    }

    /// Returns true when the first character that is no white space is that of a tag.
    static func looksLikeHTML(_ body: [UInt8]) -> Bool {
        body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    private func name(_ member: String) -> String { path.isEmpty ? member : "\(path).\(member)" }

    private func member(_ name: String) -> JSONValue? {
        value.member(named: name).flatMap { $0.kind == .null ? nil : $0 }
    }

    private func required(_ name: String) throws(MalformedAnswer) -> JSONValue {
        guard let found = member(name) else { throw .other("the answer has no \(self.name(name))") }
        return found
    }

    func string(_ name: String) throws(MalformedAnswer) -> String {
        guard let text = try required(name).string else {
            throw .wrong(self.name(name), expected: "a string")
        }
        return text
    }

    /// The longest word of an answer, in bytes. Apple's have at most 12.
    private static let wordByteCount = 64

    /// Returns a string that stands for a state or a size. A longer string than any word is refused: states are kept in
    /// the journal of a catalogue, whose lines are limited.
    func word(_ name: String) throws(MalformedAnswer) -> String {
        let text = try string(name)
        guard text.utf8.count <= Self.wordByteCount else {
            throw .wrong(self.name(name), expected: "a word of at most \(Self.wordByteCount) bytes")
        }
        return text
    }

    func optionalWord(_ name: String) throws(MalformedAnswer) -> String? {
        member(name) == nil ? nil : try word(name)
    }

    /// The longest token or identifier of an answer that this client sends back or compares, in bytes. Apple's have less
    /// than 300; a URL with one must have room in what servers take.
    private static let tokenByteCount = 4096

    /// Returns a string that is sent back to Apple's server, such as the token of the next page.
    func token(_ name: String) throws(MalformedAnswer) -> String {
        let text = try string(name)
        guard (1...Self.tokenByteCount).contains(text.utf8.count) else {
            throw .wrong(self.name(name), expected: "a text of 1 to \(Self.tokenByteCount) bytes")
        }
        return text
    }

    func optionalToken(_ name: String) throws(MalformedAnswer) -> String? {
        member(name) == nil ? nil : try token(name)
    }

    func boolean(_ name: String) throws(MalformedAnswer) -> Bool {
        guard let value = try required(name).boolean else {
            throw .wrong(self.name(name), expected: "true or false")
        }
        return value
    }

    /// Returns the elements of an array of strings.
    func strings(_ name: String) throws(MalformedAnswer) -> [String] {
        let found = try required(name)
        guard found.kind == .array else { throw .wrong(self.name(name), expected: "an array") }
        var strings: [String] = []
        strings.reserveCapacity(found.count)
        for (index, element) in found.elements.enumerated() {
            guard let text = element.string else {
                throw .wrong("\(self.name(name))[\(index)]", expected: "a string")
            }
            strings.append(text)
        }
        return strings
    }

    func uuid(_ name: String) throws(MalformedAnswer) -> UUID {
        guard let identifier = UUID(try string(name)) else {
            throw .wrong(self.name(name), expected: "a UUID")
        }
        return identifier
    }

    func integer(_ name: String) throws(MalformedAnswer) -> Int64 {
        guard let number = try required(name).int64 else {
            throw .wrong(self.name(name), expected: "a whole number")
        }
        return number
    }

    /// Returns the elements of an array, for members that nothing depends on: nil for an element that is no object, and a single
    /// nil for a member that is no array. There are no elements when the member is missing.
    func elements(_ name: String) -> [AnswerValue?] {
        guard let found = member(name) else { return [] }
        guard found.kind == .array else { return [nil] }
        return found.elements.map { $0.kind == .object ? AnswerValue(value: $0, path: self.name(name)) : nil }
    }

    /// Returns the elements of an array of objects.
    func objects(_ name: String) throws(MalformedAnswer) -> [AnswerValue] {
        let found = try required(name)
        guard found.kind == .array else { throw .wrong(self.name(name), expected: "an array") }
        var objects: [AnswerValue] = []
        objects.reserveCapacity(found.count)
        for (index, element) in found.elements.enumerated() {
            let path = "\(self.name(name))[\(index)]"
            guard element.kind == .object else { throw .wrong(path, expected: "an object") }
            objects.append(AnswerValue(value: element, path: path))
        }
        return objects
    }
}
