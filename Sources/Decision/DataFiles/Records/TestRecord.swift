public import System

/// An entry of `tests`: what the author expects of the rules.
public struct TestRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 64 }

    /// A string.
    public var name: EntryReference
    /// A string.
    public var productId: EntryReference
    /// A string.
    public var userLocale: EntryReference
    /// A string.
    public var originalTransactionId: EntryReference
    /// The server's clock, milliseconds since 1970.
    public var nowMilliseconds: Int64
    /// How old the facts file is; the least number when there is none.
    public var factsAgeSeconds: Int64
    /// Bits of ``TestFlags``.
    public var flags: UInt32
    /// The rule that should serve, or none.
    public var rule: EntryReference
    /// The name of the arm that should be taken, a string, or none.
    public var arm: EntryReference
    /// The message that should be served, or none.
    public var message: EntryReference
    /// The reason that should be given, a string, or none.
    public var reason: EntryReference
    /// The first of its entries in `testFacts`; tests take them in turn.
    public var firstFact: UInt32
    /// How many there are.
    public var factCount: UInt32
    /// Zero.
    public var reserved: UInt32

    /// Makes an entry.
    public init(
        name: EntryReference,
        productId: EntryReference,
        userLocale: EntryReference,
        originalTransactionId: EntryReference,
        nowMilliseconds: Int64,
        factsAgeSeconds: Int64,
        flags: UInt32,
        rule: EntryReference,
        arm: EntryReference,
        message: EntryReference,
        reason: EntryReference,
        firstFact: UInt32,
        factCount: UInt32,
        reserved: UInt32 = 0
    ) {
        self.name = name
        self.productId = productId
        self.userLocale = userLocale
        self.originalTransactionId = originalTransactionId
        self.nowMilliseconds = nowMilliseconds
        self.factsAgeSeconds = factsAgeSeconds
        self.flags = flags
        self.rule = rule
        self.arm = arm
        self.message = message
        self.reason = reason
        self.firstFact = firstFact
        self.factCount = factCount
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [8 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        productId = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        userLocale = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        originalTransactionId = EntryReference(UInt32(truncatingIfNeeded: words[1] >> 32))
        nowMilliseconds = Int64(bitPattern: words[2])
        factsAgeSeconds = Int64(bitPattern: words[3])
        flags = UInt32(truncatingIfNeeded: words[4])
        rule = EntryReference(UInt32(truncatingIfNeeded: words[4] >> 32))
        arm = EntryReference(UInt32(truncatingIfNeeded: words[5]))
        message = EntryReference(UInt32(truncatingIfNeeded: words[5] >> 32))
        reason = EntryReference(UInt32(truncatingIfNeeded: words[6]))
        firstFact = UInt32(truncatingIfNeeded: words[6] >> 32)
        factCount = UInt32(truncatingIfNeeded: words[7])
        reserved = UInt32(truncatingIfNeeded: words[7] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(productId.number)
        buffer.append(userLocale.number)
        buffer.append(originalTransactionId.number)
        buffer.append(nowMilliseconds)
        buffer.append(factsAgeSeconds)
        buffer.append(flags)
        buffer.append(rule.number)
        buffer.append(arm.number)
        buffer.append(message.number)
        buffer.append(reason.number)
        buffer.append(firstFact)
        buffer.append(factCount)
        buffer.append(reserved)
    }
}
