internal import COpenSSL

/// A few bytes in OpenSSL's secure heap (OPENSSL_secure_malloc(3)). They are overwritten when this value is destroyed.
@safe struct SecureBytes: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0

    /// Allocates `capacity` bytes. Returns nil when `capacity` is not positive or the heap has no room.
    init?(capacity: Int) {
        guard capacity > 0, let base = unsafe rt_secure_malloc(capacity) else { return nil }
        unsafe self.base = base
        self.capacity = capacity
    }

    deinit {
        unsafe rt_secure_free(base, capacity)
    }

    /// Adds a byte. Does nothing when `capacity` bytes are there already.
    mutating func append(_ byte: UInt8) {
        guard count < capacity else { return }
        unsafe base[count] = byte
        count += 1
    }

    /// Calls `body` with the bytes. `body` must not copy them elsewhere.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: base, count: count))
    }
}
