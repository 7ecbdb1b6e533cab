/// The name of a subject or an issuer (RFC 5280 section 4.1.2.4).
package struct DistinguishedName: Sendable, Hashable {
    /// One attribute of a name: its dotted type and its text.
    package struct Attribute: Sendable, Hashable {
        let type: String
        let text: String
        let tag: UInt8

        package static func country(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.6", text: text, tag: 0x13)
        }
        package static func organization(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.10", text: text, tag: 0x0C)
        }
        package static func organizationalUnit(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.11", text: text, tag: 0x0C)
        }
        package static func commonName(_ text: String) -> Attribute {
            Attribute(type: "2.5.4.3", text: text, tag: 0x0C)
        }
    }

    /// The attributes in the order in which they are written. Each is written as a SET of its own.
    package var attributes: [Attribute]

    package init(_ attributes: [Attribute]) {
        self.attributes = attributes
    }

    /// Makes a name for a test authority: common name, organizational unit, organization, country, in Apple's order.
    package init(commonName: String, organizationalUnit: String? = nil) {
        attributes = [.commonName(commonName)]
        if let organizationalUnit { attributes.append(.organizationalUnit(organizationalUnit)) }
        attributes += [.organization("Test authority, not Apple"), .country("US")]
    }

    package var der: [UInt8] {
        let sets = attributes.map { attribute in
            DER.set(
                DER.sequence(
                    DER.objectIdentifier(attribute.type), DER.value(attribute.tag, Array(attribute.text.utf8))
                )
            )
        }
        return DER.value(0x30, sets.flatMap { $0 })
    }
}
