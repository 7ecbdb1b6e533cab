/// Finds the positions of values and keys in a JSON text that was accepted already, by scanning the text a second time.
///
/// It serves messages about the meaning of a text, so it costs nothing until something is wrong. In a text that was not
/// accepted it finds nothing or a wrong position, but it never reads outside the text.
public struct JSONPositions: Sendable {
    private let source: [UInt8]

    /// Makes a finder for the text `source`.
    public init(source: [UInt8]) {
        self.source = source
    }

    /// Returns the position where the value starts, or nil when there is no value at that path.
    public func value(at path: JSONPath) -> JSONPosition? {
        locate(path).map { JSONPosition(byteOffset: $0.value, in: source.span) }
    }

    /// Returns the position of the opening quote of a member's key, or nil when there is no such member or the path does not
    /// end with a member.
    public func key(at path: JSONPath) -> JSONPosition? {
        locate(path).flatMap(\.key).map { JSONPosition(byteOffset: $0, in: source.span) }
    }

    private func locate(_ path: JSONPath) -> (key: Int?, value: Int)? {
        var cursor = JSONCursor(source)
        cursor.skipWhitespace()
        var key: Int?
        for component in path {
            switch component {
            case .member(let name):
                guard let found = cursor.enterMember(Array(name.utf8)) else { return nil }
                key = found
            case .index(let index):
                guard cursor.enterElement(index) else { return nil }
                key = nil
            }
        }
        return cursor.next == nil ? nil : (key, cursor.offset)
    }
}
