import DataFiles
import Support
import System

/// Damages every field of facts, products, segments, outcomes and derived sections in turn.
extension BrokenFileZoo {
    static let language = declarations + outcomes + newPredicates
    static let derived = index + buckets

    private static let declarations = [
        Damage("fact name absent", .factDeclarations, at: 0, .absent, "bad-reference"),
        Damage("no fact name", .factDeclarations, at: 0, .none, "bad-reference"),
        Damage("fact named twice", .factDeclarations, at: 8, .string("storefront"), "bad-value"),
        Damage("no kind of fact", .factDeclarations, at: 4, .u32(0), "bad-value"),
        Damage("unknown kind of fact", .factDeclarations, at: 4, .u32(5), "bad-value"),
        Damage("kind of fact beyond a byte", .factDeclarations, at: 4, .u32(257), "bad-value"),
        Damage(
            "fact of another kind than its predicates", .factDeclarations, at: 12, .u32(2), "bad-reference"),
        Damage("product absent", .products, at: 0, .absent, "bad-reference"),
        Damage("no product", .products, at: 0, .none, "bad-reference"),
        Damage("product twice", .products, at: 8, .string("pro_monthly"), "bad-value"),
        Damage("group absent", .products, at: 4, .absent, "bad-reference"),
        Damage("segment name absent", .segments, at: 0, .absent, "bad-reference"),
        Damage("segment named twice", .segments, at: 8, .string("loyal"), "bad-value"),
        Damage("segment condition absent", .segments, at: 4, .absent, "bad-reference"),
        Damage("segment without condition", .segments, at: 4, .none, "bad-reference"),
        Damage("condition of two segments", .segments, at: 12, .u32(0), "bad-condition"),
        Damage("condition of a segment and a rule", .segments, at: 4, .u32(4), "bad-condition"),
    ]

    private static func outcome(_ index: Int, _ offset: Int) -> Int { index * 16 + offset }

    /// Outcomes: 0 message, 1 nothing, 2 switch, 3 offer, 4 advanced commerce.
    private static let outcomes = [
        Damage(
            "switch with a message of another kind", .outcomes, at: outcome(2, 4), .u32(0), "bad-reference"),
        Damage("switch without message", .outcomes, at: outcome(2, 4), .none, "bad-reference"),
        Damage("switch to no product", .outcomes, at: outcome(2, 8), .none, "bad-reference"),
        Damage("switch to an absent product", .outcomes, at: outcome(2, 8), .absent, "bad-reference"),
        Damage("switch to an absent plan", .outcomes, at: outcome(2, 12), .absent, "bad-reference"),
        Damage("switch to an unknown plan", .outcomes, at: outcome(2, 12), .string("pro"), "bad-reference"),
        Damage(
            "offer with a message of another kind", .outcomes, at: outcome(3, 4), .u32(1), "bad-reference"),
        Damage("offer of no product", .outcomes, at: outcome(3, 8), .none, "bad-reference"),
        Damage("offer without identifier", .outcomes, at: outcome(3, 12), .none, "bad-reference"),
        Damage("offer with an absent identifier", .outcomes, at: outcome(3, 12), .absent, "bad-reference"),
        Damage("advanced commerce without request", .outcomes, at: outcome(4, 8), .none, "bad-reference"),
        Damage("advanced commerce with a second name", .outcomes, at: outcome(4, 12), .u32(0), "bad-value"),
        Damage("`nothing` with a name", .outcomes, at: outcome(1, 8), .u32(0), "bad-value"),
        Damage("`nothing` with a second name", .outcomes, at: outcome(1, 12), .u32(0), "bad-value"),
    ]

    private static let newPredicates = [
        Damage("segment refers to itself", .conditions, at: 2 * 24 + 4, .u32(1), "bad-reference"),
        Damage("segment refers to a later segment", .conditions, at: 2 * 24 + 4, .u32(2), "bad-reference"),
        Damage("segment absent", .conditions, at: node(12, 4), .u32(2), "bad-reference"),
        Damage("no segment", .conditions, at: node(12, 4), .none, "bad-reference"),
        Damage("segment with a kind of value", .conditions, at: node(12, 1), .u8(1), "bad-value"),
        Damage("segment with a fact", .conditions, at: node(12, 2), .u16(1), "bad-value"),
        Damage("segment with children", .conditions, at: node(12, 8), .u32(1), "bad-value"),
        Damage("segment with a number", .conditions, at: node(12, 16), .i64(1), "bad-value"),
        Damage("exists with a kind of value", .conditions, at: node(13, 1), .u8(2), "bad-value"),
        Damage("exists with a string", .conditions, at: node(13, 4), .u32(0), "bad-reference"),
        Damage("exists with children", .conditions, at: node(13, 8), .u32(1), "bad-value"),
        Damage("exists neither true nor false", .conditions, at: node(13, 16), .i64(2), "bad-value"),
        Damage("range of one number", .conditions, at: node(14, 8), .u32(1), "bad-reference"),
        Damage("range of three numbers", .conditions, at: node(14, 8), .u32(3), "bad-reference"),
        Damage("range skipped", .conditions, at: node(14, 4), .u32(0), "bad-reference"),
        Damage("range with a number", .conditions, at: node(14, 16), .i64(1), "bad-value"),
        Damage("range that ends before it begins", .numberLists, at: 3 * 8, .i64(1), "unordered"),
        Damage("range of truth values", .conditions, at: node(14, 2), .u16(259), "bad-value"),
        Damage("negative days", .conditions, at: node(15, 16), .i64(-1), "bad-value"),
        Damage("days beyond all dates", .conditions, at: node(15, 16), .i64(3_660_001), "bad-value"),
        Damage("days of an integer", .conditions, at: node(15, 2), .u16(257), "bad-value"),
        Damage("days with a string", .conditions, at: node(15, 4), .u32(0), "bad-reference"),
        Damage("integers out of order", .numberLists, at: 4 * 8, .i64(7), "unordered"),
        Damage("date list of integers", .conditions, at: node(16, 1), .u8(2), "bad-value"),
        Damage("boolean neither true nor false", .conditions, at: 3 * 24 + 16, .i64(2), "bad-value"),
        Damage("boolean compared by `gt`", .conditions, at: 3 * 24, .u8(9), "bad-value"),
        Damage("boolean compared by `lt`", .conditions, at: 3 * 24, .u8(11), "bad-value"),
        Damage("boolean compared by `lte`", .conditions, at: 3 * 24, .u8(12), "bad-value"),
        Damage("boolean with `youngerThanDays`", .conditions, at: 3 * 24, .u8(16), "bad-value"),
        Damage("integer with a string", .conditions, at: 4, .u32(0), "bad-reference"),
    ]

    /// Entries: 0 any product (rules 1, 2, 3, 4), 1 basic_monthly (rule 0), 2 pro_monthly (rule 0).
    private static let index = [
        Damage("product in the first entry", .productRules, at: 0, .u32(0), "index-mismatch"),
        Damage("rules for any product at another place", .productRules, at: 4, .u32(1), "index-mismatch"),
        Damage("a rule for any product left out", .productRules, at: 8, .u32(2), "index-mismatch"),
        Damage("reserved in the index", .productRules, at: 12, .u32(1), "index-mismatch"),
        Damage("product of another rule", .productRules, at: 16, .string("pro_annual"), "index-mismatch"),
        Damage("product without entry", .productRules, at: 16, .none, "index-mismatch"),
        Damage("rule of another product", .ruleLists, at: 16, .u32(1), "index-mismatch"),
        Damage("rule that is absent", .ruleLists, at: 0, .absent, "index-mismatch"),
    ]

    private static let buckets = [
        Damage(
            "bucket of another string", .stringBuckets, at: bucket, .string("pro_annual"), "index-mismatch"),
        Damage("bucket of an absent string", .stringBuckets, at: bucket, .absent, "index-mismatch"),
        Damage("bucket without its string", .stringBuckets, at: bucket, .none, "index-mismatch"),
    ]

    /// The first bucket that may hold `pro_monthly`. It is not free.
    private static var bucket: Int {
        let sections = (try? RulesFile(bytes: SampleModel.bytes, check: .full))?.header.sections ?? []
        let section = sections.first { $0.kind == RulesSection.stringBuckets.rawValue }
        let count = (section?.byteCount ?? 0) / 4
        return 4 * (Int(truncatingIfNeeded: "pro_monthly".utf8Span.span.wordHash) & (count - 1))
    }
}
