internal import System

/// The place of a string's bytes in a rules file. A string that was found once can be read any number of times with
/// ``RulesFile/text(at:)``.
public struct FileString: Sendable, Hashable {
    let offset: UInt32
    let byteCount: UInt32
}

extension RulesTables {
    /// Returns the billing plan type that a string of the file names, without making a `String`; nil when the string
    /// names none or does not exist.
    package func billingPlanType(_ reference: EntryReference, in bytes: RawSpan) -> BillingPlanType? {
        guard let range = strings.range(of: reference, in: bytes) else { return nil }
        return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text in
            BillingPlanType.allCases.first { $0.rawValue.utf8Span.span.isEqual(to: text) }
        } ?? nil
    }
}

extension StringTable {
    /// Returns the place of a string; nil when there is no such string.
    package func place(of reference: EntryReference, in bytes: RawSpan) -> FileString? {
        guard let range = range(of: reference, in: bytes), let offset = UInt32(exactly: range.lowerBound),
            let byteCount = UInt32(exactly: range.count)
        else { return nil }
        return FileString(offset: offset, byteCount: byteCount)
    }
}

extension RulesFile {
    /// Returns a copy of the string at a place that was found in this file. For a place in another file it returns the
    /// text of whatever bytes lie there, and never reads beyond the end of this file.
    public func text(at place: FileString) -> String {
        withBytes { bytes in
            bytes.withSpan(offset: Int(place.offset), byteCount: Int(place.byteCount)) { span in
                String(decoding: span.copied(), as: UTF8.self)
            }
        } ?? ""
    }
}
