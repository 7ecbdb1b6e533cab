/// Checks identifiers of products and offers before they are signed.
public enum StoreIdentifier {
    /// Returns true when `text` can be such an identifier: it has no control character and no U+2063 INVISIBLE SEPARATOR.
    /// That separator stands between the fields that promotionalOfferSignatureV1 signs.
    public static func isPossible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar.value != 0x2063
        }
    }
}
