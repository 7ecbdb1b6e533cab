/// Finds where values and keys stand in a JSON text that was accepted already, by scanning it a second time.
///
/// For messages about what a text means; so it costs nothing until something is wrong. With a text that was not
/// accepted it finds nothing or the wrong place, but never reads outside.
public struct JSONPositions: Sendable {
    private let source: [UInt8]

    /// Looks into this text.
    public init(source: [UInt8]) {
        self.source = source
    }

    /// Where the value starts; nil when there is none at that path.
    public func value(at path: JSONPath) -> JSONPosition? {
        locate(path).map { JSONPosition(byteOffset: $0.value, in: source.span) }
    }

    /// Where the key of a member starts, its quote; nil when there is none or the path does not end with a member.
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
