enum CompiledRules {
    static func small(generation: Int) throws -> [UInt8] { [] }
    static func large(generation: Int) throws -> [UInt8] { [] }
}
