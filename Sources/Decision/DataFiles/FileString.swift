internal import System

/// A string of a rules file by the place of its bytes: found once, and read as often as somebody wants it.
public struct FileString: Sendable, Hashable {
    let offset: UInt32
    let byteCount: UInt32
}

extension RulesTables {
    /// The plan that a string names, without making a string of it; nil for none.
    package func billingPlanType(_ reference: EntryReference, in bytes: RawSpan) -> BillingPlanType? {
        guard let range = strings.range(of: reference, in: bytes) else { return nil }
        return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text in
            BillingPlanType.allCases.first { $0.rawValue.utf8Span.span.isEqual(to: text) }
        } ?? nil
    }
}

extension StringTable {
    /// Where a string stands; nil when there is no such string.
    package func place(of reference: EntryReference, in bytes: RawSpan) -> FileString? {
        guard let range = range(of: reference, in: bytes), let offset = UInt32(exactly: range.lowerBound),
            let byteCount = UInt32(exactly: range.count)
        else { return nil }
        return FileString(offset: offset, byteCount: byteCount)
    }
}

extension RulesFile {
    /// A copy of a string that was found in this file. The place of another file's string reads whatever lies there, and
    /// never beyond the bytes.
    public func text(at place: FileString) -> String {
        withBytes { bytes in
            bytes.withSpan(offset: Int(place.offset), byteCount: Int(place.byteCount)) { span in
                String(decoding: span.copied(), as: UTF8.self)
            }
        } ?? ""
    }
}
