internal import Authoring
internal import CommandLineTool
internal import SubscriberHistory
internal import System

/// The columns of a facts file, and where the value of each comes from.
struct FactColumns {
    enum Source: Equatable {
        /// A fact that follows from the store.
        case store(SubscriberFact)
        /// A column of the operator's own table.
        case table
        /// Both; the preferred one counts for a subscriber of whom it has a value, or else the other one.
        case both(SubscriberFact, preferred: FactsBuild.Preference)
    }

    let schema: FactsSchema
    /// The source of each fact of the schema, in its order.
    let sources: [Source]

    /// Finds the sources.
    ///
    /// - Parameters:
    ///   - schema: the facts of the file.
    ///   - file: the name of the schema, for findings.
    ///   - table: the names in the operator's own table that have a value in some row.
    ///   - prefer: whose value counts for a name in both.
    /// - Throws: `facts.in-both`, `facts.no-source`, `facts.type-differs`.
    init(_ schema: FactsSchema, file: String, table: Set<String>, prefer: FactsBuild.Preference?) throws {
        var findings: [Finding] = []
        func report(_ reason: FactsBuildReason, _ message: String, hint: String? = nil) {
            findings.append(Finding(code: reason.code, message, hint: hint, file: file))
        }
        var sources: [Source] = []
        for fact in schema.facts {
            let derived = SubscriberFact(name: fact.name)
            switch (derived, table.contains(fact.name)) {
            case (let derived?, true) where prefer == nil:
                report(
                    .inBoth, "the store and the table both have \(derived.name)",
                    hint: "say --prefer store or --prefer table, or rename the column")
            case (let derived?, true):
                let fault = Self.fault(of: fact.type, for: derived)
                // A table that is preferred may have another type. The store then has no value that fits.
                if let fault, prefer != .table { report(.typeDiffers, fault) }
                let own = prefer.map { Source.both(derived, preferred: $0) }
                sources.append(fault == nil ? own ?? .table : .table)
            case (nil, true): sources.append(.table)
            case (let derived?, _):
                if let fault = Self.fault(of: fact.type, for: derived) { report(.typeDiffers, fault) }
                sources.append(.store(derived))
            case (nil, false):
                report(
                    .noSource,
                    "neither the store nor a table has \(fact.name)",
                    hint: Spelling.nearest(to: fact.name, among: SubscriberFact.allCases.map(\.name))
                        .map { "there is \"\($0)\"" } ?? "give a table that has it"
                )
            }
        }
        guard findings.isEmpty else { throw ToolError(findings) }
        self.schema = schema
        self.sources = sources
    }

    /// Returns what is wrong with the type of a schema for a derived fact; nil when it fits.
    private static func fault(of type: FactType, for fact: SubscriberFact) -> String? {
        guard let own = FactType(fact.type) else { return nil }
        guard own.kind == type.kind else { return "\(fact.name) is \(fact.type)" }
        guard case .enumeration(let allowed) = type else { return nil }
        guard case .enumeration(let values) = own else {
            return "\(fact.name) is \(fact.type): Apple may add values"
        }
        let lacking = values.filter { !allowed.contains($0) }
        return lacking.isEmpty ? nil : "\(fact.name) may also be \(lacking.joined(separator: ", "))"
    }
}
