/// An entry of `ruleHeads`: the part of a rule that a decision reads first. Entry N belongs to rule N. It is derived
/// from the rule, see ``RuleTerms``.
public struct RuleHeadRecord: FileRecord {
    /// The first of the rule's terms. Its kind may also say that there is no term, or that the rule is switched off.
    public var term = TermRecord()
    /// The beginning of the rule's window, as in ``RuleRecord``.
    public var windowFrom: Int64 = 0
    /// The end of the rule's window, as in ``RuleRecord``.
    public var windowTo: Int64 = 0

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
