internal import ArgumentParser
internal import System

/// Checks options whose values are signed or compared with a signature.
enum IdentifierOption {
    /// Refuses a text that cannot be an identifier in the App Store. A nil `text` is an option that was left out.
    static func check(_ name: String, _ text: String?) throws {
        guard let text else { return }
        guard !text.isEmpty else { throw ValidationError("\(name) must not be empty.") }
        guard StoreIdentifier.isPossible(text) else {
            throw ValidationError("\(name) must not have control characters or U+2063.")
        }
    }

    /// Refuses a text that the service's configuration would refuse as the identifier of a key or an issuer.
    static func checkKey(_ name: String, _ text: String?) throws {
        guard let text else { return }
        guard !text.isEmpty else { throw ValidationError("\(name) must not be empty.") }
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isWord, text.utf8.count <= 255 else {
            throw ValidationError("\(name) is not an identifier of App Store Connect: letters, digits and -.")
        }
    }
}
