/// An entry of `ruleHeads`: what the server looks at before anything else of a rule. Entry N belongs to rule N.
/// Derived from the rule, see ``RuleTerms``.
public struct RuleHeadRecord: FileRecord {
    /// The first of the rule's terms; its kind also says that there is none, or that the rule is switched off.
    public var term = TermRecord()
    /// As in ``RuleRecord``.
    public var windowFrom: Int64 = 0
    /// As in ``RuleRecord``.
    public var windowTo: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
