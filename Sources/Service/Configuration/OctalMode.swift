/// Permission bits as a text has them.
enum OctalMode {
    /// `"0660"` or `"660"`: three octal digits, zeros before them.
    static func read(_ text: String) -> UInt32? {
        guard (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
        else { return nil }
        return mode
    }

    /// Four digits.
    static func text(_ mode: UInt32) -> String {
        let octal = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
    }
}
