extension RulesModel {
    /// A product that the author declares.
    public struct Product: Sendable, Hashable {
        /// Its productId.
        public var name: String
        /// Its subscription group; nil when the author does not say.
        public var group: String?

        /// Makes one.
        public init(name: String, group: String? = nil) {
            self.name = name
            self.group = group
        }
    }

    /// A fact that the facts file must have.
    public struct FactDeclaration: Sendable, Hashable {
        /// Its name, unique in the file and none of a fact that is built in.
        public var name: String
        /// The kind of its values. An enumeration is of kind string here.
        public var kind: ValueKind

        /// Makes one.
        public init(name: String, kind: ValueKind) {
            self.name = name
            self.kind = kind
        }
    }

    /// A condition under a name.
    public struct Segment: Sendable, Hashable {
        /// Its name, unique in the file.
        public var name: String
        /// What must be true.
        public var condition: Condition

        /// Makes one.
        public init(name: String, condition: Condition) {
            self.name = name
            self.condition = condition
        }
    }
}
