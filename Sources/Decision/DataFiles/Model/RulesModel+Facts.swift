extension RulesModel {
    /// A product that the author declares.
    public struct Product: Sendable, Hashable {
        /// The productId.
        public var name: String
        /// The subscription group; nil when the author does not give one.
        public var group: String?

        public init(name: String, group: String? = nil) {
            self.name = name
            self.group = group
        }
    }

    /// A declared fact: rules that read it need a facts file that has it.
    public struct FactDeclaration: Sendable, Hashable {
        /// The name of the fact, unique in the file and different from the names of the built-in facts.
        public var name: String
        /// The kind of the fact's values. An enumeration has the kind string here.
        public var kind: ValueKind

        public init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    /// A condition with a name, to which rules and later segments can refer.
    public struct Segment: Sendable, Hashable {
        /// The name of the segment, unique in the file.
        public var name: String
        /// The condition that the name stands for.
        public var condition: Condition

        public init(name: String, condition: Condition) {
            self.name = name
            self.condition = condition
        }
    }
}
