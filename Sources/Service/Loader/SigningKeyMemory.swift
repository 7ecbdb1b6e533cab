internal import Cryptography
internal import OfferSigning
internal import System
internal import Vocabulary

/// The keys that sign, on their way from a loader to the workers. They are in sealed memory, in no file and in no
/// manifest.
///
/// The memory holds for each key the app's number, the length of the `.p8` text, and the text, padded to a multiple of
/// eight bytes. After the last key there is a 0. Numbers are 64 bits wide, little-endian.
struct SigningKeyMemory: ~Copyable {
    private var texts: SecretMemory

    /// Makes room for this many keys.
    init(keyCount: Int) throws(LoadError) {
        let each = 16 + SigningKeyFile.byteLimit + 8
        texts = try SystemCallError.mapped(
            to: LoadError.system, try SecretMemory(capacity: 8 + keyCount * each))
    }

    mutating func add(_ text: borrowing SecretMemory, appAppleId: Int64) {
        append(UInt64(bitPattern: appAppleId))
        append(UInt64(text.byteCount))
        text.withBytes { bytes in texts.append(bytes) }
        let filling = [UInt8](repeating: 0, count: -text.byteCount & 7)
        texts.append(filling.span)
    }

    private mutating func append(_ number: UInt64) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        texts.append(bytes.span)
    }

    /// Returns all added keys in sealed memory.
    mutating func sealed() throws(LoadError) -> DescriptorList {
        append(0)
        let sealed = try SystemCallError.mapped(
            to: LoadError.system,
            try texts.withBytes { bytes throws(SystemCallError) in
                try SealedMemory(copying: bytes, name: "signing-keys")
            }
        )
        return DescriptorList(takingOwnership: [sealed.releaseDescriptor()])
    }

    /// Reads the keys in sealed memory, by `appAppleId`.
    ///
    /// - Throws: `manifest-invalid` for bytes that ``sealed()`` does not make; `load-system` when the descriptor is not
    ///   sealed memory.
    static func read(_ descriptor: consuming FileDescriptor) throws(LoadError) -> [Int64: SigningKey] {
        CryptographyLibrary.protectKeys()
        let mapped = try SystemCallError.mapped(to: LoadError.system, giving: descriptor) {
            descriptor throws(SystemCallError) in
            try MappedMemory(of: SealedMemory(verifying: descriptor).descriptor, isSecret: true)
        }
        return try mapped.withBytes { bytes throws(LoadError) in
            var keys: [Int64: SigningKey] = [:]
            var place = 0
            while bytes.int64(at: place) != 0 {
                guard let app = bytes.int64(at: place), let count = bytes.uint64(at: place + 8),
                    count <= UInt64(SigningKeyFile.byteLimit),
                    let key = bytes.withSpan(
                        offset: place + 16,
                        byteCount: Int(count),
                        { try? SigningKey(p8: $0) }
                    )
                else { throw .manifestInvalid }
                keys[app] = key
                place += 16 + (Int(count) + 7) / 8 * 8
            }
            return keys
        }
    }
}
