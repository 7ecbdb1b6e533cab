/// The numbers of the connections with a request under way, the oldest request first: a list whose links are in two arrays,
/// so that adding and removing need no memory. All requests of a run have the same patience, so the first number is also
/// the one whose patience ends first.
struct BusyConnections {
    private static var none: Int32 { -1 }
    private var next: [Int32]
    private var previous: [Int32]
    private var head = Self.none
    private var tail = Self.none
    /// How many connections are busy.
    private(set) var count = 0

    /// An empty list for numbers below `limit`.
    init(limit: Int) {
        next = [Int32](repeating: Self.none, count: limit)
        previous = next
    }

    /// The connection with the oldest request; nil when the list is empty.
    var first: Int? { head == Self.none ? nil : Int(head) }

    /// Adds a number behind the others.
    mutating func append(_ number: Int) {
        let link = Int32(truncatingIfNeeded: number)
        previous[number] = tail
        next[number] = Self.none
        if tail == Self.none { head = link } else { next[Int(tail)] = link }
        tail = link
        count += 1
    }

    /// Removes a number, which must be in the list.
    mutating func remove(_ number: Int) {
        let (before, after) = (previous[number], next[number])
        if before == Self.none { head = after } else { next[Int(before)] = after }
        if after == Self.none { tail = before } else { previous[Int(after)] = before }
        count -= 1
    }
}
