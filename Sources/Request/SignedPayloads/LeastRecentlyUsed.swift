/// A dictionary of at most `capacity` values. When it is full, it drops the value that was not used for the longest
/// time. It finds that value by a linear search, which is fast enough for a few hundred entries.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, used: UInt64)] = [:]
    private var clock: UInt64 = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    /// Returns the value for `key` and marks it as used now.
    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        clock += 1
        entries.values[index].used = clock
        return entries.values[index].value
    }

    /// Adds or replaces a value. Drops the least recently used value when there is no room.
    mutating func insert(_ value: Value, for key: Key) {
        clock += 1
        if entries[key] == nil, entries.count >= capacity,
            let oldest = entries.min(by: { $0.value.used < $1.value.used })
        {
            entries.removeValue(forKey: oldest.key)
        }
        entries[key] = (value, clock)
    }
}
