internal import System

/// Reads the dates of HTTP header fields.
package enum HTTPDate {
    /// Returns milliseconds since 1970 for a date in the one form that RFC 9110 section 5.6.7 lets servers write,
    /// such as `Sun, 06 Nov 1994 08:49:37 GMT`. Returns nil for any other text. The name of the day is not compared
    /// with the date.
    package static func milliseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            let month = months.firstIndex(where: { words[2] == $0 }),
            words[1].utf8.count == 2, words[3].utf8.count == 4
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return CivilTime("\(words[3])-\(number)-\(words[1])T\(words[4])Z")?.milliseconds
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
