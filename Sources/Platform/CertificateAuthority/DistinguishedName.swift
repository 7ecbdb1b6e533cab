/// The name of a subject or an issuer (RFC 5280 section 4.1.2.4).
public struct DistinguishedName: Sendable, Hashable {
    /// One attribute: its dotted type and its text.
    public struct Attribute: Sendable, Hashable {
        let type: String
        let text: String
        let tag: UInt8

        /// Country, two letters.
        public static func country(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.6", text: text, tag: 0x13)
        }
        /// Organization.
        public static func organization(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.10", text: text, tag: 0x0C)
        }
        /// Organizational unit.
        public static func organizationalUnit(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.11", text: text, tag: 0x0C)
        }
        /// Common name.
        public static func commonName(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.3", text: text, tag: 0x0C)
        }
    }

    /// The attributes, each a set of its own, in the order they are written.
    public var attributes: [Attribute]

    /// A name of these attributes.
    public init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    /// A name of our test authorities: common name, organizational unit, organization, country, as Apple orders them.
    public init(commonName: String, organizationalUnit: String? = nil) {
        attributes = [.commonName(commonName)]
        if let organizationalUnit { attributes.append(.organizationalUnit(organizationalUnit)) }
        attributes += [.organization("Test authority, not Apple"), .country("US")]
    }

    /// The DER encoding.
    public var der: [UInt8] {
        let sets = attributes.map { attribute in
            DER.set(
                DER.sequence(
                    DER.objectIdentifier(attribute.type),
                    DER.value(attribute.tag, Array(attribute.text.utf8))
                )
            )
        }
        return DER.value(0x30, sets.flatMap { $0 })
    }
}
