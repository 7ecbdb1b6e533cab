/// Finds the name that a person may have meant by a misspelled word.
public enum Spelling {
    /// Returns the name nearest to `word`, or nil when no name is near. A name is near when it differs from `word` in case,
    /// `_` and `-` only, or in at most a third of the characters.
    public static func nearest(to word: String, among names: [String]) -> String? {
        let plain = simplified(word)
        let limit = plain.count / 3
        return names.map { (name: $0, distance: distance(plain, simplified($0))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.name
    }

    private static func simplified(_ word: String) -> [UInt8] {
        word.lowercased().utf8.prefix(64).filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    /// Returns how many insertions, removals and changes of one byte lead from one word to the other (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let changed = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
