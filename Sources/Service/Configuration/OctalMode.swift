/// Permission bits as octal text.
enum OctalMode {
    /// Reads three octal digits, with or without one zero before them: `"660"` or `"0660"`. Returns nil for any other
    /// text.
    static func read(_ text: String) -> UInt32? {
        guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return mode
    }

    /// Returns the bits as four octal digits.
    static func text(_ mode: UInt32) -> String {
        let octal = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
    }
}
