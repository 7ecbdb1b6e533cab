internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import NotificationStore
internal import RulesCompiler
internal import SubscriberHistory
internal import System
internal import Vocabulary

/// The facts with which `lint` compares rules: those of a facts file, or those that follow from a store.
struct KnownFacts {
    let facts: LintFacts
    let rowCount: Int

    /// Opens a facts file.
    ///
    /// - Throws: `facts.other-app` when the file is for another app or environment than the rules, else what is wrong with
    ///   the file.
    init(file path: String, for model: RulesModel, _ source: [UInt8]) throws(ToolFailure) {
        let file = try CompiledFacts.open(path, check: .full)
        let owner = "\(model.appAppleId) in \(model.environment.rawValue)"
        guard file.header.owner == owner else {
            throw ToolFailure(
                .badData, code: "facts.other-app", "facts of \(file.header.owner), rules of \(owner)",
                file: path)
        }
        self.init(file, isStoreAlone: false, source)
    }

    /// Builds the facts that the rules declare from a store, for a time in milliseconds since 1970.
    ///
    /// - Throws: the errors of the store.
    init(store url: String, for model: RulesModel, _ source: [UInt8], now: Int64) throws(ToolFailure) {
        let store = try StoreSelection.open(try StoreSelection.address(url), .read)
        let schema = FactsSchema(facts: Self.columns(of: model))
        let progress = FactsProgress(totalByteCount: nil)
        defer { progress.end() }
        let build = StoredFacts(
            store: store, app: model.bundleId, environment: model.environment.rawValue, now: now,
            columns: try FactColumns(schema, file: url, table: [], prefer: nil), table: nil)
        let result = try build.run(progress)
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: model.appAppleId, environment: model.environment,
            stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: ""))
        try FactsCompilerError.mapped(
            to: { ToolFailure($0, file: store.address.description) },
            giving: result.takeRows()
        ) { rows throws(FactsCompilerError) in try FactsCompiler.write(rows, making, to: &output) }
        let bytes = output.bytes
        let file = try DataFileError.mapped(
            to: { ToolFailure($0, file: store.address.description) },
            try FactsFile(bytes: bytes, check: .structure)
        )
        self.init(file, isStoreAlone: true, source)
    }

    private init(_ file: FactsFile, isStoreAlone: Bool, _ source: [UInt8]) {
        rowCount = file.rowCount
        facts = LintFacts(
            file, isStoreAlone: isStoreAlone, possibleValues: Self.possibleValues(source),
            possibleNumbers: Self.possibleNumbers,
            misspellings: [SubscriberFact.storefront.name: StorefrontCodes.byTwoLetters], units: Self.units,
            storeNames: SubscriberFact.allCases.map(\.name))
    }

    /// The facts that the rules declare and that follow from the store, with their own types, and those that name products and
    /// offers.
    private static func columns(of model: RulesModel) -> [FactsSchema.Fact] {
        var facts = model.facts.compactMap { SubscriberFact(name: $0.name) }
        let others = (LintFacts.productFacts + [LintFacts.offerFact]).compactMap(SubscriberFact.init)
        for fact in others where facts.count < DataFileLimits.factCount && !facts.contains(fact) {
            facts.append(fact)
        }
        return facts.compactMap { fact in
            FactType(fact.type).map { FactsSchema.Fact(name: fact.name, type: $0) }
        }
    }

    /// The values that a fact may have although no subscriber has one of them now: those of its enumeration.
    private static func possibleValues(_ source: [UInt8]) -> [String: Set<String>] {
        var values: [String: Set<String>] = [
            SubscriberFact.billingPlanType.name: Set(BillingPlanType.allCases.map(\.rawValue))
        ]
        let own = SubscriberFact.allCases.map { ($0.name, FactType($0.type)) }
        // A source without "facts" has no schema.
        let declared = (try? FactsSchema(parsing: source))?.facts.map { ($0.name, Optional($0.type)) } ?? []
        for case (let name, .enumeration(let names)?) in own + declared {
            values[name, default: []].formUnion(names)
        }
        return values
    }

    /// The numbers that the facts of the store can have: counts and prices are never negative.
    private static let possibleNumbers: [String: ClosedRange<Int64>] = {
        let numbers = SubscriberFact.allCases.filter { $0.type == "int" }
        return Dictionary(
            uniqueKeysWithValues: numbers.map { ($0.name, $0 == .lastOfferType ? 2...5 : 0...Int64.max) }
        )
    }()

    /// The units of the facts of the store that are numbers.
    private static let units = Dictionary(
        uniqueKeysWithValues: FactDefinition.all.map { ($0.fact.name, $0.unit) }
    ).compactMapValues { $0 }
}
