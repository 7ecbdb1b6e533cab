internal import RulesCompiler

/// Rules for the benchmark as they are pushed, made by the compiler from ``RulesSource``.
enum CompiledRules {
    /// Rules as a busy app may have them: twenty rules that every request passes before the default.
    static func small(generation: Int) throws -> [UInt8] {
        try compile(generation: generation, ruleCount: 20, productCount: 10)
    }

    /// The same rules with a promotional offer as the default.
    static func offer() throws -> [UInt8] {
        try compile(generation: 0, ruleCount: 20, productCount: 10, isOffer: true)
    }

    /// A file of at least 1,000,000 bytes.
    static func large(generation: Int) throws -> [UInt8] {
        let file = try compile(generation: generation, ruleCount: 600, productCount: 40)
        guard file.count >= 1_000_000 else {
            throw Failure("the large rules file has only \(file.count) bytes")
        }
        return file
    }

    private static func compile(generation: Int, ruleCount: Int, productCount: Int, isOffer: Bool = false)
        throws -> [UInt8]
    {
        let source = RulesSource.text(
            generation: generation, ruleCount: ruleCount, productCount: productCount, isOffer: isOffer)
        return try RulesCompiler.resolve(source).text
    }
}
