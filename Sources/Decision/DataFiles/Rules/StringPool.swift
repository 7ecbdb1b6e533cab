/// The strings of a rules file. First all strings are collected, then they are numbered in the order of their bytes.
///
/// Strings are compared by bytes, not by characters: Swift treats two encodings of the same accented letter as equal,
/// but a file must not.
struct StringPool {
    private var collected: Set<[UInt8]> = []
    private var numbers: [[UInt8]: UInt32] = [:]
    private(set) var sorted: [[UInt8]] = []

    mutating func collect(_ text: String?) {
        if let text { collected.insert(Array(text.utf8)) }
    }

    mutating func number() {
        sorted = collected.sorted { $0.lexicographicallyPrecedes($1) }
        for (number, text) in sorted.enumerated() { numbers[text] = UInt32(number) }
    }

    /// The number of a string; `.none` for nil and for a string that was not collected.
    subscript(text: String?) -> EntryReference {
        guard let text else { return .none }
        return numbers[Array(text.utf8)].map(EntryReference.init) ?? .none
    }

    /// Returns the values in the order of their strings' numbers.
    func ordered<Value>(_ values: [Value], by text: (Value) -> String) -> [Value] {
        values.sorted { self[text($0)].number < self[text($1)].number }
    }
}
