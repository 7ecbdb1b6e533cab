/// Identifiers of products and offers, as they stand in what is signed.
public enum StoreIdentifier {
    /// Whether a text could be one: it has no control character and no U+2063 INVISIBLE SEPARATOR, which stands between
    /// the fields that the first form of signatures signs.
    public static func isPossible(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar.value != 0x2063
        }
    }
}
