public import System

/// An entry of `ruleHeads`: what the server looks at before anything else of a rule. Entry N belongs to rule N.
/// Derived from the rule, see ``RuleTerms``.
public struct RuleHeadRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 32 }

    /// The first of the rule's terms; its kind also says that there is none, or that the rule is switched off.
    public var term: TermRecord
    /// As in ``RuleRecord``.
    public var windowFrom: Int64
    /// As in ``RuleRecord``.
    public var windowTo: Int64

    /// Makes an entry.
    public init(term: TermRecord, windowFrom: Int64, windowTo: Int64) {
        self.term = term
        self.windowFrom = windowFrom
        self.windowTo = windowTo
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [4 of UInt64] = bytes.words(at: offset) else { return nil }
        term = TermRecord(words[0], words[1])
        windowFrom = Int64(bitPattern: words[2])
        windowTo = Int64(bitPattern: words[3])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        term.write(to: &buffer)
        buffer.append(windowFrom)
        buffer.append(windowTo)
    }
}
