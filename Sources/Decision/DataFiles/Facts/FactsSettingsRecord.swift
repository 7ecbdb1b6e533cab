/// The only entry of `factsSettings`: the settings of the whole file.
package struct FactsSettingsRecord: FileRecord {
    /// Flags. No bit is known yet, and readers refuse a file with any bit set.
    package var flags: UInt32 = 0
    /// Features that a reader must have. No bit is known yet, and readers refuse a file with any bit set.
    package var requiredFeatures: UInt32 = 0
    package var rowCount: UInt64 = 0
    package var bucketCount: UInt64 = 0
    /// The width of a row in bytes.
    package var rowByteCount: UInt32 = 0
    /// The width of an entry of the directory in bytes: 4 or 8.
    package var directoryByteCount: UInt32 = 0
    /// Reserved: zero.
    package var reserved: UInt64 = 0

    package init() {}
}
