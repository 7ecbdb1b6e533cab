/// The places of an object or an array, and of everything in it, in an accepted JSON text.
package struct JSONOutline {
    /// The offset of the opening bracket.
    package let start: Int
    /// The offset of the first key or element; nil when there is none.
    package private(set) var first: Int?
    /// The offset behind the last value, or behind the opening bracket when there is none.
    package private(set) var end: Int
    /// True for an object, false for an array.
    package let isObject: Bool
    /// The objects and arrays among the members of an object, by their names.
    package private(set) var members: [String: JSONOutline] = [:]
    /// The elements of an array; nil for an element that is neither an object nor an array.
    private(set) var elements: [JSONOutline?] = []

    /// Reads the object or array of a text; nil when the text is neither.
    package init?(of text: [UInt8]) {
        var cursor = JSONCursor(text)
        cursor.skipWhitespace()
        self.init(&cursor)
    }

    /// Reads the value at the cursor and moves the cursor behind it. Returns nil when the value is neither an object nor an
    /// array. As deep as the text, whose depth the parser has limited.
    init?(_ cursor: inout JSONCursor) {
        isObject = cursor.next == UInt8(ascii: "{")
        guard isObject || cursor.next == UInt8(ascii: "[") else {
            cursor.skipValue()
            return nil
        }
        start = cursor.offset
        end = start + 1
        _ = cursor.take(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        while let byte = cursor.next, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") {
            let place = cursor.offset
            first = first ?? place
            let name = isObject ? String(decoding: cursor.takeString(), as: UTF8.self) : ""
            if isObject { _ = cursor.take(UInt8(ascii: ":")) }
            let child = JSONOutline(&cursor)
            if isObject { members[name] = child } else { elements.append(child) }
            end = cursor.offsetBehindToken
            _ = cursor.take(UInt8(ascii: ","))
            // Only a text that was not accepted has a value without a byte.
            guard cursor.offset > place else { return }
        }
        _ = cursor.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// Returns the object or array at a path from here; nil when there is none.
    func find(_ path: JSONPath) -> JSONOutline? {
        var found = self
        for component in path {
            let next: JSONOutline? =
                switch component {
                case .member(let name): found.members[name]
                case .index(let index): found.elements.indices.contains(index) ? found.elements[index] : nil
                }
            guard let next else { return nil }
            found = next
        }
        return found
    }
}

extension JSONCursor {
    /// The offset behind the last byte before the cursor that is not white space.
    fileprivate var offsetBehindToken: Int {
        var end = offset
        while end > 0, JSONPrescan.isWhitespace(source[end - 1]) { end -= 1 }
        return end
    }
}
