import DataFiles
import Support

/// Damages every header field, section and kind of entry in turn.
enum BrokenFileZoo {
    static let all =
        Damage.header(otherKind: 2, sectionCount: 27) + table + Damage.strings + settings + messages + rules
        + groups + predicates + language + exposure + derived + tests

    private static let table = [
        Damage("no generation", at: 40, .i64(0), "bad-header"),
        Damage("negative generation", at: 40, .i64(-1), "bad-header"),
        Damage("section twice", at: 128, .u32(2), "duplicate-section"),
        Damage("section missing", at: 128, .u32(99), "missing-section"),
        Damage("rules missing", at: 128 + 7 * 32, .u32(99), "missing-section"),
        Damage("section flags", at: 132, .u32(1), "bad-value"),
        Damage("section offset 0", at: 136, .u64(0), "misplaced-section"),
        Damage("section not aligned", at: 136, .u64(964), "unaligned-section"),
        Damage("section after a gap", at: 136, .u64(968), "misplaced-section"),
        Damage("section over the table", at: 136, .u64(952), "misplaced-section"),
        Damage("section outside", at: 136, .u64(1 << 40), "section-outside"),
        Damage("section offset beyond everything", at: 136, .u64(.max), "section-outside"),
        Damage("section longer than the file", at: 144, .u64(1 << 40), "section-outside"),
        Damage("section length beyond everything", at: 144, .u64(.max), "section-outside"),
        Damage("section over the next", at: 144, .u64(2000), "misplaced-section"),
        Damage("section without bytes", at: 144, .u64(0), "misplaced-section"),
        Damage("length not a multiple of an entry", at: 128 + 3 * 32 + 16, .u64(15), "bad-section-length"),
        Damage("settings too short", at: 128 + 2 * 32 + 16, .u64(31), "bad-section-length"),
        Damage("wrong checksum", at: 152, .u32(0), resealed: false, "bad-section-checksum"),
        Damage("reserved in the table", at: 156, .u32(1), "bad-value"),
    ]

    private static let settings = [
        Damage("unknown settings flag", .settings, at: 0, .u32(2), "unknown-feature"),
        Damage("unknown required feature", .settings, at: 4, .u32(1), "unknown-feature"),
        Damage("bundle identifier absent", .settings, at: 8, .absent, "bad-reference"),
        Damage("no bundle identifier", .settings, at: 8, .none, "bad-reference"),
        Damage("last locale absent", .settings, at: 12, .absent, "bad-reference"),
        Damage("default absent", .settings, at: 16, .absent, "bad-reference"),
        Damage("unknown source format", .settings, at: 20, .u32(2), "bad-value"),
        Damage("reserved in settings", .settings, at: 24, .u64(1), "bad-value"),
        Damage("metadata key absent", .metadata, at: 0, .absent, "bad-reference"),
        Damage("metadata value absent", .metadata, at: 4, .none, "bad-reference"),
        Damage("fallback locale absent", .localeFallbacks, at: 0, .absent, "bad-reference"),
        Damage("fallback absent", .localeFallbacks, at: 4, .none, "bad-reference"),
        Damage("fallbacks out of order", .localeFallbacks, at: 0, .string("es-MX"), "unordered"),
        Damage("fallback to itself", .localeFallbacks, at: 4, .string("en-AU"), "locale-cycle"),
        Damage("fallbacks in a cycle", .localeFallbacks, at: 12, .string("en-AU"), "locale-cycle"),
    ]

    private static let messages = [
        Damage("message name absent", .messages, at: 0, .absent, "bad-reference"),
        Damage("no message kind", .messages, at: 4, .u32(0), "bad-value"),
        Damage("unknown message kind", .messages, at: 4, .u32(5), "bad-value"),
        Damage("unknown flag of a message", .messages, at: 6, .u8(2), "unknown-feature"),
        Damage("identifiers skipped", .messages, at: 8, .u32(1), "bad-reference"),
        Damage("message without identifiers", .messages, at: 12, .u32(0), "bad-reference"),
        Damage("identifiers beyond the end", .messages, at: 12, .absent, "bad-reference"),
        Damage("identifiers shared", .messages, at: 24, .u32(1), "bad-reference"),
        Damage("identifiers left over", .messages, at: 12, .u32(1), "bad-reference"),
        Damage("identifier locale absent", .messageIdentifiers, at: 0, .absent, "bad-reference"),
        Damage("identifiers out of order", .messageIdentifiers, at: 0, .string("en-US"), "unordered"),
        Damage("unknown identifier flag", .messageIdentifiers, at: 4, .u32(2), "unknown-feature"),
        Damage("unknown outcome kind", .outcomes, at: 0, .u32(5), "bad-value"),
        Damage("outcome message absent", .outcomes, at: 4, .absent, "bad-reference"),
        Damage("outcome without message", .outcomes, at: 4, .none, "bad-reference"),
        Damage("`nothing` with a message", .outcomes, at: 16 + 4, .u32(0), "bad-reference"),
        Damage("`message` with a name", .outcomes, at: 8, .u32(0), "bad-value"),
        Damage("`message` with a second name", .outcomes, at: 12, .u32(0), "bad-value"),
    ]

    private static let rules = [
        Damage("rule id absent", .rules, at: 0, .absent, "bad-reference"),
        Damage("unknown rule flag", .rules, at: 4, .u32(3), "unknown-feature"),
        Damage("condition absent", .rules, at: 8, .absent, "bad-reference"),
        Damage("condition of another rule", .rules, at: 40 + 8, .u32(0), "bad-condition"),
        Damage("condition left over", .rules, at: 8, .none, "bad-condition"),
        Damage("outcome absent", .rules, at: 12, .absent, "bad-reference"),
        Damage("no outcome", .rules, at: 12, .none, "bad-reference"),
        Damage("window ends before it begins", .rules, at: 24, .i64(0), "bad-value"),
        Damage("window begins before all years", .rules, at: 16, .i64(.min + 1), "bad-value"),
        Damage("window ends after all years", .rules, at: 24, .i64(.max - 1), "bad-value"),
        Damage("selective predicate of another rule", .rules, at: 32, .u32(1), "index-mismatch"),
    ]

    /// Nodes after the four nodes of segments: 0 all (1 in, 2 any (4 eq, 5 prefix, 6 not (7 notIn)), 3 ne), 8 any
    /// (9 in, 10 ne), 11 any (12 segment, 13 exists, 14 between, 15 olderThanDays, 16 in, 17 eq).
    static func node(_ index: Int, _ offset: Int) -> Int { (4 + index) * 24 + offset }

    private static let groups = [
        Damage("no operation", .conditions, at: node(0, 0), .u8(0), "bad-value"),
        Damage("unknown operation", .conditions, at: node(1, 0), .u8(255), "bad-value"),
        Damage("group with a kind of value", .conditions, at: node(0, 1), .u8(1), "bad-value"),
        Damage("group with a fact", .conditions, at: node(0, 2), .u16(1), "bad-value"),
        Damage("group with a value", .conditions, at: node(0, 16), .i64(1), "bad-value"),
        Damage("group that contains itself", .conditions, at: node(0, 4), .u32(4), "bad-condition"),
        Damage("group that contains its parent", .conditions, at: node(2, 4), .u32(4), "bad-condition"),
        Damage("group of absent children", .conditions, at: node(0, 4), .absent, "bad-condition"),
        Damage("group without a first child", .conditions, at: node(0, 4), .none, "bad-condition"),
        Damage("empty group", .conditions, at: node(0, 8), .u32(0), "bad-condition"),
        Damage("group beyond the end", .conditions, at: node(0, 8), .absent, "bad-condition"),
        Damage("group that shares a child", .conditions, at: node(0, 8), .u32(4), "bad-condition"),
        Damage("group that leaves out a child", .conditions, at: node(0, 8), .u32(2), "bad-condition"),
        Damage("`not` of several children", .conditions, at: node(0, 0), .u8(3), "bad-condition"),
        Damage("reserved in a node", .conditions, at: node(0, 12), .u32(1), "bad-value"),
    ]

    private static let predicates = [
        Damage("string fact with a date", .conditions, at: node(4, 1), .u8(2), "bad-value"),
        Damage("date fact with a string", .conditions, at: node(4, 2), .u16(6), "bad-value"),
        Damage("string fact with an integer", .conditions, at: node(4, 1), .u8(3), "bad-value"),
        Damage("no fact", .conditions, at: node(4, 2), .u16(0), "bad-value"),
        Damage("truth value fact with a string", .conditions, at: node(4, 2), .u16(7), "bad-value"),
        Damage("fact that is not declared", .conditions, at: node(4, 2), .u16(260), "bad-value"),
        Damage("string absent", .conditions, at: node(4, 4), .absent, "bad-reference"),
        Damage("no string", .conditions, at: node(4, 4), .none, "bad-reference"),
        Damage("prefix absent", .conditions, at: node(5, 4), .absent, "bad-reference"),
        Damage("comparison with children", .conditions, at: node(4, 8), .u32(1), "bad-value"),
        Damage("string with a number", .conditions, at: node(4, 16), .i64(1), "bad-value"),
        Damage("list skipped", .conditions, at: node(1, 4), .u32(1), "bad-reference"),
        Damage("empty list", .conditions, at: node(1, 8), .u32(0), "bad-reference"),
        Damage("list beyond the end", .conditions, at: node(1, 8), .absent, "bad-reference"),
        Damage("list left over", .conditions, at: node(7, 0), .u8(4), "bad-value"),
        Damage("list with a number", .conditions, at: node(1, 16), .i64(1), "bad-value"),
        Damage("date with a string", .conditions, at: node(10, 4), .u32(0), "bad-reference"),
        Damage("date before all years", .conditions, at: node(10, 16), .i64(.min), "bad-value"),
        Damage("prefix of a date", .conditions, at: node(10, 0), .u8(8), "bad-value"),
        Damage("listed string absent", .stringLists, at: 0, .absent, "bad-reference"),
        Damage("list out of order", .stringLists, at: 0, .string("value_reminder"), "unordered"),
        Damage("list with a repetition", .stringLists, at: 0, .string("pro_monthly"), "unordered"),
        Damage("dates out of order", .numberLists, at: 0, .i64(1_795_000_000_001), "unordered"),
        Damage("date after all years", .numberLists, at: 8, .i64(.max), "bad-value"),
    ]
}
