public import System

/// The one entry of `settings`: what holds for the file as a whole.
public struct SettingsRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 32 }

    /// Bits of ``SettingsFlags``.
    public var flags: UInt32
    /// Bits of ``RequiredFeatures``; an unknown one refuses the file.
    public var requiredFeatures: UInt32
    /// The app's bundle identifier, a string.
    public var bundleId: EntryReference
    /// The locale to use when nothing else has a message, a string, or none.
    public var lastLocale: EntryReference
    /// The outcome when no rule matches, or none.
    public var defaultOutcome: EntryReference
    /// The `format` of the source.
    public var sourceFormat: UInt32
    /// Zero.
    public var reserved: UInt64

    /// Makes an entry.
    public init(
        flags: UInt32,
        requiredFeatures: UInt32,
        bundleId: EntryReference,
        lastLocale: EntryReference,
        defaultOutcome: EntryReference,
        sourceFormat: UInt32,
        reserved: UInt64 = 0
    ) {
        self.flags = flags
        self.requiredFeatures = requiredFeatures
        self.bundleId = bundleId
        self.lastLocale = lastLocale
        self.defaultOutcome = defaultOutcome
        self.sourceFormat = sourceFormat
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [4 of UInt64] = bytes.words(at: offset) else { return nil }
        flags = UInt32(truncatingIfNeeded: words[0])
        requiredFeatures = UInt32(truncatingIfNeeded: words[0] >> 32)
        bundleId = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        lastLocale = EntryReference(UInt32(truncatingIfNeeded: words[1] >> 32))
        defaultOutcome = EntryReference(UInt32(truncatingIfNeeded: words[2]))
        sourceFormat = UInt32(truncatingIfNeeded: words[2] >> 32)
        reserved = words[3]
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(flags)
        buffer.append(requiredFeatures)
        buffer.append(bundleId.number)
        buffer.append(lastLocale.number)
        buffer.append(defaultOutcome.number)
        buffer.append(sourceFormat)
        buffer.append(reserved)
    }
}
