/// The one entry of `factsSettings`: what holds for the file as a whole.
package struct FactsSettingsRecord: FileRecord {
    /// Zero; no bit is known.
    package var flags: UInt32 = 0
    /// What a reader must be able to do; no bit is known yet, and an unknown one refuses the file.
    package var requiredFeatures: UInt32 = 0
    /// The number of rows.
    package var rowCount: UInt64 = 0
    /// The number of buckets.
    package var bucketCount: UInt64 = 0
    /// The width of a row in bytes.
    package var rowByteCount: UInt32 = 0
    /// The width of an entry of the directory in bytes: 4 or 8.
    package var directoryByteCount: UInt32 = 0
    /// Zero.
    package var reserved: UInt64 = 0

    package init() {}
}
