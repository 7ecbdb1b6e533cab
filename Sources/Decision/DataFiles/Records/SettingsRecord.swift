internal import System

/// The one entry of `settings`: what holds for the file as a whole.
package struct SettingsRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 32 }

    /// Bits of ``SettingsFlags``.
    package var flags: UInt32
    /// What a reader must be able to do; no bit is known yet, and an unknown one refuses the file.
    package var requiredFeatures: UInt32
    /// The app's bundle identifier, a string.
    package var bundleId: EntryReference
    /// The locale to use when nothing else has a message, a string, or none.
    package var lastLocale: EntryReference
    /// The outcome when no rule matches, or none.
    package var defaultOutcome: EntryReference
    /// The `format` of the source.
    package var sourceFormat: UInt32
    /// Zero.
    package var reserved: UInt64

    /// Makes an entry.
    package init(
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
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let flags = bytes.uint32(at: offset),
            let requiredFeatures = bytes.uint32(at: offset + 4),
            let bundleId = bytes.uint32(at: offset + 8),
            let lastLocale = bytes.uint32(at: offset + 12),
            let defaultOutcome = bytes.uint32(at: offset + 16),
            let sourceFormat = bytes.uint32(at: offset + 20),
            let reserved = bytes.uint64(at: offset + 24)
        else { return nil }
        self.flags = flags
        self.requiredFeatures = requiredFeatures
        self.bundleId = EntryReference(bundleId)
        self.lastLocale = EntryReference(lastLocale)
        self.defaultOutcome = EntryReference(defaultOutcome)
        self.sourceFormat = sourceFormat
        self.reserved = reserved
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(flags)
        buffer.append(requiredFeatures)
        buffer.append(bundleId.number)
        buffer.append(lastLocale.number)
        buffer.append(defaultOutcome.number)
        buffer.append(sourceFormat)
        buffer.append(reserved)
    }
}
