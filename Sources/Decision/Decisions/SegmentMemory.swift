internal import DataFiles

/// The truth of each segment that one decision has evaluated, two bits for each.
struct SegmentMemory {
    private var words: [8 of UInt64] = .init(repeating: 0)

    /// The truth of a segment; nil when it has not been evaluated.
    subscript(segment: Int) -> Truth? {
        get {
            guard segment >= 0, segment < DataFileLimits.segmentCount else { return nil }
            switch words[segment >> 5] >> UInt64((segment & 31) << 1) & 3 {
            case 1: return .false
            case 2: return .unknown
            case 3: return .true
            default: return nil
            }
        }
        set {
            guard segment >= 0, segment < DataFileLimits.segmentCount, let newValue else { return }
            let bits: UInt64 =
                switch newValue {
                case .false: 1
                case .unknown: 2
                case .true: 3
                }
            words[segment >> 5] |= bits << UInt64((segment & 31) << 1)
        }
    }
}
