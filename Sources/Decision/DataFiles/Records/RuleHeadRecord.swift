public import System

/// An entry of `ruleHeads`: what the server looks at before anything else of a rule. Entry N belongs to rule N.
/// Derived from the rule, see ``RuleTerms``.
public struct RuleHeadRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 32 }

    /// A ``TermKind``, of the first of its terms.
    public var kind: UInt8
    /// As in ``TermRecord``.
    public var accepted: UInt8
    /// As in ``TermRecord``.
    public var valueKind: UInt8
    /// As in ``TermRecord``.
    public var slot: UInt8
    /// As in ``TermRecord``.
    public var first: EntryReference
    /// As in ``TermRecord``.
    public var value: Int64
    /// As in ``RuleRecord``.
    public var windowFrom: Int64
    /// As in ``RuleRecord``.
    public var windowTo: Int64

    /// Makes an entry.
    public init(
        kind: UInt8,
        accepted: UInt8,
        valueKind: UInt8,
        slot: UInt8,
        first: EntryReference,
        value: Int64,
        windowFrom: Int64,
        windowTo: Int64
    ) {
        self.kind = kind
        self.accepted = accepted
        self.valueKind = valueKind
        self.slot = slot
        self.first = first
        self.value = value
        self.windowFrom = windowFrom
        self.windowTo = windowTo
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [4 of UInt64] = bytes.words(at: offset) else { return nil }
        kind = UInt8(truncatingIfNeeded: words[0])
        accepted = UInt8(truncatingIfNeeded: words[0] >> 8)
        valueKind = UInt8(truncatingIfNeeded: words[0] >> 16)
        slot = UInt8(truncatingIfNeeded: words[0] >> 24)
        first = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        value = Int64(bitPattern: words[1])
        windowFrom = Int64(bitPattern: words[2])
        windowTo = Int64(bitPattern: words[3])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(kind)
        buffer.append(accepted)
        buffer.append(valueKind)
        buffer.append(slot)
        buffer.append(first.number)
        buffer.append(value)
        buffer.append(windowFrom)
        buffer.append(windowTo)
    }
}
