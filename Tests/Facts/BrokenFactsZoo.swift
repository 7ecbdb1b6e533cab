import Facts

/// Damages every header field, section and kind of entry of a facts file in turn.
///
/// The sample's columns: 0 paidPeriods, 1 inTrial, 2 storefront (with a list), 3 lastOfferAt, 4 token, 5 balance,
/// 6 never, 7 always.
enum BrokenFactsZoo {
    static let all =
        FactsDamage.header(otherKind: 1, sectionCount: 8) + table + FactsDamage.strings + settings + columns
        + lists + keys + rows

    /// Returns the place of byte `offset` in the entry of a column.
    private static func column(_ number: Int, _ offset: Int) -> Int { number * 40 + offset }
    /// Returns the place of byte `offset` in an entry of the section table, in the order of the kinds.
    private static func entry(_ number: Int, _ offset: Int) -> Int { 128 + number * 32 + offset }

    private static let table =
        (0..<8).map { FactsDamage("section \($0) missing", at: entry($0, 0), .u32(99), "missing-section") }
        + (0..<8).map {
            FactsDamage("section \($0) beyond everything", at: entry($0, 8), .u64(.max), "section-outside")
        }
        + (0..<8).map {
            FactsDamage("section \($0) of huge length", at: entry($0, 16), .u64(.max), "section-outside")
        }
        + (0..<8).map {
            FactsDamage("section \($0) begins at 0", at: entry($0, 8), .u64(0), "misplaced-section")
        }
        + (0..<8).map { FactsDamage("section \($0) has flags", at: entry($0, 4), .u32(1), "bad-value") }
        + (0..<8).map { FactsDamage("section \($0) reserved", at: entry($0, 28), .u32(1), "bad-value") }
        + (0..<8).map {
            FactsDamage(
                "section \($0) with another checksum", at: entry($0, 24), .u32(7), resealed: false,
                "bad-section-checksum")
        }
        + [
            FactsDamage("section twice", at: entry(0, 0), .u32(2), "duplicate-section"),
            FactsDamage("section not aligned", at: entry(0, 8), .u64(388), "unaligned-section"),
            FactsDamage("index one byte shorter", at: entry(1, 16), .u64(287), "bad-section-length"),
            FactsDamage("settings one byte shorter", at: entry(2, 16), .u64(39), "bad-section-length"),
            FactsDamage("columns one byte shorter", at: entry(3, 16), .u64(319), "bad-section-length"),
            FactsDamage("lists one byte shorter", at: entry(4, 16), .u64(11), "bad-section-length"),
            FactsDamage("directory one byte shorter", at: entry(5, 16), .u64(1027), "bad-section-length"),
            FactsDamage("keys one byte shorter", at: entry(6, 16), .u64(479), "bad-section-length"),
        ]

    private static let settings = [
        FactsDamage("unknown settings flag", .factsSettings, at: 0, .u32(1), "unknown-feature"),
        FactsDamage("unknown required feature", .factsSettings, at: 4, .u32(1), "unknown-feature"),
        FactsDamage("a row too few", .factsSettings, at: 8, .u64(59), "bad-value"),
        FactsDamage("rows beyond everything", .factsSettings, at: 8, .u64(.max), "bad-value"),
        FactsDamage("a bucket too many", .factsSettings, at: 16, .u64(257), "bad-value"),
        FactsDamage("no buckets", .factsSettings, at: 16, .u64(0), "bad-value"),
        FactsDamage("wider rows", .factsSettings, at: 24, .u32(13), "bad-section-length"),
        FactsDamage("rows of the greatest width", .factsSettings, at: 24, .u32(.max), "bad-section-length"),
        FactsDamage("directory of two-byte entries", .factsSettings, at: 28, .u32(2), "bad-value"),
        FactsDamage("directory of eight-byte entries", .factsSettings, at: 28, .u32(8), "bad-value"),
        FactsDamage("reserved in settings", .factsSettings, at: 32, .u64(1), "bad-value"),
    ]

    private static let columns = [
        FactsDamage("name absent", .columns, at: column(0, 0), .absent, "bad-reference"),
        FactsDamage("no name", .columns, at: column(0, 0), .none, "bad-reference"),
        FactsDamage("two columns of one name", .columns, at: column(1, 0), .u32(7), "bad-reference"),
        FactsDamage("no kind", .columns, at: column(0, 4), .u8(0), "bad-value"),
        FactsDamage("unknown kind", .columns, at: column(0, 4), .u8(5), "bad-value"),
        FactsDamage("integers as booleans", .columns, at: column(0, 4), .u8(4), "bad-value"),
        FactsDamage("list in a column of numbers", .columns, at: column(2, 4), .u8(3), "bad-reference"),
        FactsDamage("65 bits", .columns, at: column(5, 5), .u8(65), "bad-value"),
        FactsDamage("a column one bit wider", .columns, at: column(0, 5), .u8(5), "bad-reference"),
        FactsDamage("the last column wider", .columns, at: column(7, 5), .u8(8), "bad-value"),
        FactsDamage("reserved in a column", .columns, at: column(0, 6), .u16(1), "bad-value"),
        FactsDamage("first bit of the presences", .columns, at: column(0, 8), .u32(0), "bad-reference"),
        FactsDamage("first bit beyond everything", .columns, at: column(0, 8), .none, "bad-reference"),
        FactsDamage("list of a column without a list", .columns, at: column(0, 12), .u32(0), "bad-reference"),
        FactsDamage("no list for a column with a list", .columns, at: column(2, 12), .none, "bad-reference"),
        FactsDamage("list skipped", .columns, at: column(2, 12), .u32(1), "bad-reference"),
        FactsDamage("base of a list", .columns, at: column(2, 16), .i64(1), "bad-reference"),
        FactsDamage("base of strings below 0", .columns, at: column(4, 16), .i64(-1), "bad-value"),
        FactsDamage("base beyond the strings", .columns, at: column(4, 16), .i64(71), "bad-value"),
        FactsDamage("values beyond the last string", .columns, at: column(4, 16), .i64(60), "bad-value"),
        FactsDamage("base of booleans", .columns, at: column(1, 16), .i64(2), "bad-value"),
        FactsDamage("boolean above 1", .columns, at: column(1, 16), .i64(1), "bad-value"),
        FactsDamage("date before all years", .columns, at: column(3, 16), .i64(.min), "bad-value"),
        FactsDamage(
            "dates after all years", .columns, at: column(3, 16), .i64(253_402_300_799_999), "bad-value"),
        FactsDamage("integers beyond 64 bits", .columns, at: column(5, 16), .i64(0), "bad-value"),
        FactsDamage("unit 0", .columns, at: column(0, 24), .u64(0), "bad-value"),
        FactsDamage("unit of a list", .columns, at: column(2, 24), .u64(2), "bad-reference"),
        FactsDamage("unit beyond everything", .columns, at: column(0, 24), .u64(.max), "bad-value"),
        FactsDamage("list beyond the end", .columns, at: column(2, 32), .u32(4), "bad-reference"),
        FactsDamage("list left over", .columns, at: column(2, 32), .u32(2), "bad-reference"),
        FactsDamage("list without entries", .columns, at: column(2, 32), .u32(0), "bad-reference"),
        FactsDamage("reserved at the end of a column", .columns, at: column(0, 36), .u32(1), "bad-value"),
    ]

    private static let lists = [
        FactsDamage("listed string absent", .columnLists, at: 0, .absent, "bad-reference"),
        FactsDamage("no listed string", .columnLists, at: 8, .none, "bad-reference"),
        FactsDamage("list out of order", .columnLists, at: 0, .u32(5), "unordered"),
    ]

    private static let keys = [
        FactsDamage("directory begins late", .directory, at: 0, .u32(1), "bad-reference"),
        FactsDamage("bucket that ends before it begins", .directory, at: 512, .u32(0), "bad-reference"),
        FactsDamage("bucket beyond the end", .directory, at: 512, .absent, "bad-reference"),
        FactsDamage("directory ends early", .directory, at: -4, .u32(59), "bad-reference"),
        FactsDamage("key 0", .keys, at: 0, .u64(0), "unordered"),
        FactsDamage("key of another bucket", .keys, at: 0, .u64(3), "unordered"),
        FactsDamage("last key of another bucket", .keys, at: -8, .u64(3), "unordered"),
    ]

    private static let rows = [FactsDamage("a byte behind the last row", .rows, at: -8, .u8(1), "bad-value")]
}
