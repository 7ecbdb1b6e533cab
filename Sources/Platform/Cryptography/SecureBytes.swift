internal import COpenSSL

/// A few bytes in OpenSSL's secure heap (OPENSSL_secure_malloc(3)), overwritten when their owner goes.
@safe struct SecureBytes: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0

    /// Makes room; nil where the heap has none.
    init?(capacity: Int) {
        guard capacity > 0, let base = unsafe rt_secure_malloc(capacity) else { return nil }
        unsafe self.base = base
        self.capacity = capacity
    }

    deinit {
        unsafe rt_secure_free(base, capacity)
    }

    /// Adds a byte; one too many is left out.
    mutating func append(_ byte: UInt8) {
        guard count < capacity else { return }
        unsafe base[count] = byte
        count += 1
    }

    /// Lends the bytes, which must not be copied elsewhere.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: base, count: count))
    }
}
