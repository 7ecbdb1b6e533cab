/// The values of one statement in the forms that libpq takes.
///
/// Whole numbers and floating-point numbers go as texts, so that the server converts them to the type that the statement
/// wants. Texts and bytes go as they are, with their length, so that a NUL inside is refused and not cut off.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [SQLValue]) {
        for value in values {
            switch value {
            case .null: add(nil, format: 0)
            case .integer(let number): add(String(number).utf8, format: 0)
            case .double(let number): add(String(number).utf8, format: 0)
            case .text(let text): add(text.utf8, format: 1)
            case .bytes(let bytes): add(bytes, format: 1)
            }
        }
    }

    private mutating func add(_ value: (some Collection<UInt8>)?, format: Int32) {
        formats.append(format)
        guard let value else {
            offsets.append(nil)
            lengths.append(0)
            return
        }
        offsets.append(bytes.count)
        lengths.append(Int32(clamping: value.count))
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    private mutating func add(_ value: Never?, format: Int32) {
        add(Optional<[UInt8]>.none, format: format)
    }

    /// Calls `body` with the number of values, their addresses, their lengths and their forms.
    func withPointers<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBytes { block in
            let addresses = unsafe offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset, let base = block.baseAddress else { return nil }
                return unsafe (base + offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe body(Int32(clamping: offsets.count), addresses, lengths, formats)
        }
    }
}
