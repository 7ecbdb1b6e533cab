/// A dictionary that holds at most `capacity` values and drops the one that was not used for the longest time.
/// A linear search for the oldest is right for the few hundred entries it is used for.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, used: UInt64)] = [:]
    private var clock: UInt64 = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    /// The value for `key`, which counts as used now.
    mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        clock += 1
        entries.values[index].used = clock
        return entries.values[index].value
    }

    /// Adds or replaces a value, dropping the oldest when there is no room.
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
