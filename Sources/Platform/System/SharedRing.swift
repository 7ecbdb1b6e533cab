/// A queue of messages in memory that two processes share: one process appends, one other takes. Neither ever waits for the
/// other, and no system call is made.
///
///     let ring = try SharedRing(byteCount: 1 << 20, name: "records")   // one process, which gives ring.descriptor to the other
///     ring.append(message.span)                                         // false when there is no room
///     let ring = try SharedRing(inheriting: descriptor, byteCount: 1 << 20)   // the other process
///     ring.takeWaiting { message in … }
///
/// A message is whole or not there: when the appending process dies within a call, the message is lost and nothing else.
/// When the taking process dies, it loses what it has taken, and the other messages wait for the next one. The taking side
/// believes no length that it reads, so damaged memory costs messages and nothing else.
@safe public struct SharedRing: ~Copyable, @unchecked Sendable {  // the positions are atomic
    private let memory: SharedCounterMemory
    /// The number of words that messages have.
    private let wordCount: Int
    /// The message that is taken, copied out of the shared memory: what a reader has checked cannot change any more.
    private var taken: [UInt8] = []

    /// The places of the words in front of the messages: how many words were appended and taken since the beginning, and
    /// whether the taking process asks to be woken. Words of different writers are in different cache lines.
    private enum Head {
        static let appended = 0
        /// The number of words that were appended when the queue began at the beginning of the memory again.
        static let base = 1
        static let taken = 8
        static let sleeps = 16
        static let wordCount = 24
    }

    /// A length that says: the rest up to the end is empty, and the next message is at the beginning.
    private static let skip: UInt64 = .max

    /// The descriptor that the other process inherits to share the memory.
    public var descriptorNumber: Int32 { memory.descriptor.number }

    /// Makes new memory for messages of `byteCount` bytes together, a multiple of 8. `name` appears only in
    /// `/proc/PID/maps`.
    ///
    /// - Throws: the errno of `memfd_create`, `ftruncate`, `fcntl` or `mmap`.
    public init(byteCount: Int, name: String) throws(SystemCallError) {
        wordCount = byteCount / 8
        memory = try SharedCounterMemory(count: Head.wordCount + byteCount / 8, name: name)
    }

    /// Maps memory that another process made with the same `byteCount`.
    ///
    /// - Throws: as ``SharedCounterMemory/init(inheriting:count:)``.
    public init(
        inheriting descriptor: consuming FileDescriptor,
        byteCount: Int
    ) throws(SystemCallError) {
        wordCount = byteCount / 8
        memory = try SharedCounterMemory(
            inheriting: descriptor,
            count: Head.wordCount + byteCount / 8
        )
    }

    /// Returns how many words a message of this length takes, with its length.
    private static func wordCount(ofBytes count: Int) -> Int { 1 &+ (count &+ 7) / 8 }

    /// Returns where in the memory the word with this number is, counted from the first word that was ever appended.
    private borrowing func place(of position: UInt64) -> Int {
        Int((position &- memory.load(Head.base)) % UInt64(wordCount))
    }

    /// The number of bytes that wait, with the lengths of the messages. Never more than the memory has.
    public var waitingByteCount: Int {
        Int(min(memory.load(Head.appended) &- memory.load(Head.taken), UInt64(wordCount))) * 8
    }

    // MARK: - The appending process

    /// Appends a message.
    ///
    /// - Returns: false when there is no room, or when the message is empty or longer than an eighth of the memory. Nothing
    ///   is appended then.
    public borrowing func append(_ message: Span<UInt8>) -> Bool {
        let needed = Self.wordCount(ofBytes: message.count)
        guard message.count > 0, needed <= wordCount / 8 else { return false }
        let appended = memory.load(Head.appended)
        let waiting = appended &- memory.load(Head.taken)
        // An empty queue begins at the beginning again, so that messages which are taken soon use little of the processor's cache.
        // The taking process uses the place only of messages that wait, and now none does.
        if waiting == 0 { memory.store(appended, at: Head.base) }
        var place = place(of: appended)
        let rest = wordCount &- place
        let used = UInt64(rest < needed ? rest &+ needed : needed)
        guard waiting <= UInt64(wordCount), used <= UInt64(wordCount) &- waiting else { return false }
        if rest < needed {
            memory.store(Self.skip, at: Head.wordCount &+ place)
            place = 0
        }
        memory.store(UInt64(message.count), at: Head.wordCount &+ place)
        memory.copy(message, toWord: Head.wordCount &+ place &+ 1)
        memory.store(appended &+ used, at: Head.appended)
        return true
    }

    /// Returns true when the taking process has asked to be woken, and takes the request back. Ask after messages were
    /// appended.
    public borrowing func mustWake() -> Bool {
        memory.fence()
        guard memory.load(Head.sleeps) != 0 else { return false }
        return memory.exchange(1, for: 0, at: Head.sleeps)
    }

    // MARK: - The taking process

    /// Takes the messages that wait now, the oldest first, and lends each to `body`. Those that come meanwhile wait for the next
    /// call, so the call ends however quickly they come. Damaged memory is mended.
    ///
    /// - Returns: false when no message waits.
    @discardableResult
    public mutating func takeWaiting(_ body: (Span<UInt8>) -> Void) -> Bool {
        let end = memory.load(Head.appended)
        var hasTaken = false
        while memory.load(Head.taken) != end, take(body) { hasTaken = true }
        return hasTaken
    }

    /// Takes the oldest message and lends it to `body`. The message counts as taken then: one at which this process dies does
    /// not make the next process die too, and none is taken twice.
    ///
    /// - Returns: false when no message waits.
    public mutating func take(_ body: (Span<UInt8>) -> Void) -> Bool {
        while true {
            let appended = memory.load(Head.appended)
            let position = memory.load(Head.taken)
            let waiting = appended &- position
            guard waiting > 0 else { return false }
            let place = place(of: position)
            let rest = wordCount &- place
            let length = memory.load(Head.wordCount &+ place)
            let isPossible = waiting <= UInt64(wordCount)
            if isPossible, length == Self.skip, UInt64(rest) < waiting {
                memory.store(position &+ UInt64(rest), at: Head.taken)
                continue
            }
            let words = length > UInt64(wordCount) * 8 ? .max : Self.wordCount(ofBytes: Int(length))
            guard isPossible, length > 0, words <= rest, words <= waiting else {
                // No process of ours has written this. What waits is lost, and what is appended from now on is not.
                memory.store(appended, at: Head.taken)
                return false
            }
            if taken.count < Int(length) { taken = Array(repeating: 0, count: Int(length)) }
            memory.copy(fromWord: Head.wordCount &+ place &+ 1, byteCount: Int(length), to: &taken)
            memory.store(position &+ UInt64(words), at: Head.taken)
            body(taken.span.extracting(first: Int(length)))
            return true
        }
    }

    /// Asks to be woken for the next message.
    ///
    /// - Returns: false when a message waits already. The request is taken back then.
    public borrowing func askToBeWoken() -> Bool {
        memory.store(1, at: Head.sleeps)
        memory.fence()
        guard memory.load(Head.appended) == memory.load(Head.taken) else {
            memory.store(0, at: Head.sleeps)
            return false
        }
        return true
    }
}
