package import System

// What state files of the catalogue and of the simulator need.

extension ReviewState: Codable {}

extension UUID: Codable, CodingKeyRepresentable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = UUID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    package var codingKey: any CodingKey { ObjectKey(stringValue: description) }

    package init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}

/// A key of an object that is a text.
package struct ObjectKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}
