import DataFiles

/// Damage that is the same in every kind of file.
extension SampleDamage {
    /// Damages every field of the header in turn.
    ///
    /// - Parameters:
    ///   - otherKind: the number of another kind of file, which is known.
    ///   - sectionCount: the number of sections of the sample.
    /// - Returns: a row for each change.
    static func header(otherKind: UInt16, sectionCount: UInt32) -> [Self] {
        [
            Self("wrong magic", at: 0, .u8(0x88), "bad-magic"),
            Self("line ends changed in transfer", at: 4, .u16(0x0A0A), "bad-magic"),
            Self("major version 0", at: 8, .u16(0), "unsupported-version"),
            Self("major version 2", at: 8, .u16(2), "unsupported-version"),
            Self("header size too small", at: 12, .u32(120), "bad-header"),
            Self("header size too large", at: 12, .u32(136), "bad-header"),
            Self("file size 0", at: 16, .u64(0), "trailing-bytes"),
            Self("file size too large", at: 16, .u64(1 << 20), "truncated"),
            Self("file size beyond everything", at: 16, .u64(.max), "truncated"),
            Self("no kind", at: 24, .u16(0), "wrong-kind"),
            Self("another kind", at: 24, .u16(otherKind), "wrong-kind"),
            Self("unknown kind", at: 24, .u16(3), "wrong-kind"),
            Self("no environment", at: 26, .u16(0), "bad-environment"),
            Self("unknown environment", at: 26, .u16(5), "bad-environment"),
            Self("no sections", at: 28, .u32(0), "bad-header"),
            Self("a section too few", at: 28, .u32(sectionCount - 1), "misplaced-section"),
            Self("a section too many", at: 28, .u32(sectionCount + 1), "misplaced-section"),
            Self("more sections than the limit", at: 28, .u32(65), "bad-header"),
            Self("sections beyond everything", at: 28, .u32(.max), "bad-header"),
            Self("no app", at: 32, .i64(0), "bad-header"),
            Self("negative app", at: 32, .i64(-1), "bad-header"),
            Self("negative build time", at: 48, .i64(-1), "bad-header"),
            Self("section table elsewhere", at: 56, .u64(136), "bad-header"),
            Self("line feed in the writer", at: 64, .u8(0x0A), "bad-header"),
            Self("byte after the writer", at: 87, .u8(0x41), "bad-header"),
            Self("reserved bytes", at: 88, .u64(1), "bad-header"),
            Self("wrong digest", at: 96, .u64(0), resealed: false, "bad-digest"),
            Self("generation without new digest", at: 40, .i64(7), resealed: false, "bad-digest"),
        ]
    }

    /// Damages the pool of strings and its index.
    static var strings: [Self] {
        [
            Self("string not UTF-8", .strings, at: 0, .u8(0xFF), "bad-string"),
            Self("strings out of order", .strings, at: 0, .u8(0x7A), "unordered"),
            Self("pool begins late", .stringIndex, at: 0, .u32(1), "bad-string"),
            Self("string beyond the pool", .stringIndex, at: 4, .absent, "bad-string"),
            Self("string that ends before it begins", .stringIndex, at: 8, .u32(0), "bad-string"),
            Self("pool that ends early", .stringIndex, at: -4, .u32(300), "bad-string"),
            Self("byte of a section", .strings, at: 3, .u8(0x7A), resealed: false, "bad-section-checksum"),
        ]
    }
}
