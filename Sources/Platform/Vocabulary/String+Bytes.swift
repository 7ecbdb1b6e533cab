extension String {
    /// Returns true when both texts are the same bytes of UTF-8. Swift calls two texts equal when Unicode says that they look
    /// alike, such as é in one character and in two; whoever keeps or compares bytes needs more.
    public func hasSameBytes(as other: String) -> Bool {
        guard self == other else { return false }
        let (own, others) = (utf8Span, other.utf8Span)
        // Texts of ASCII look alike only when they are the same. That is known without looking at them.
        return own.isKnownASCII && others.isKnownASCII || utf8.elementsEqual(other.utf8)
    }
}
