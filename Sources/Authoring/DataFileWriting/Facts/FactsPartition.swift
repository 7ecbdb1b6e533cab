internal import DataFiles
internal import System

/// Rows whose mixed keys begin with the same bits, waiting in a ``FactsRowForm``.
struct FactsPartition {
    /// Rows of one form, one behind the other, and some bytes more.
    struct Chunk {
        /// The number of the form.
        let form: Int
        let rowCount: Int
        let bytes: [UInt8]
    }

    /// Partitions are told apart by so many bits of the mixed key.
    static let bits = 8
    /// How many there are.
    static let count = 1 << bits

    private static let chunkByteCount = 32 << 10

    private(set) var chunks: [Chunk] = []
    private(set) var rowCount = 0
    /// Where the last row stands.
    private(set) var line = 0
    /// The chunk that rows are put into, and its form.
    private var open: [UInt8] = []
    private var openForm = 0
    private var openRowCount = 0

    /// Adds a row, whose first value becomes the distance of its line. A form is added where the last one has no room.
    @inline(__always)
    mutating func append(
        _ key: UInt64,
        line: Int,
        _ present: UInt64,
        _ values: inout FactsRowForm.Values,
        _ forms: inout [FactsRowForm]
    ) {
        values[0] = UInt64(bitPattern: Int64(line &- self.line))
        while true {
            let last = forms.count - 1
            let rowByteCount = forms[last].byteCount
            let offset = openRowCount &* rowByteCount
            guard openForm == last, offset &+ rowByteCount <= open.count - FactsRowForm.slackByteCount else {
                close(forms)
                openForm = last
                continue
            }
            var bytes = open.mutableSpan
            if forms[last].put(key, present, &values, into: &bytes, at: offset) { break }
            forms.append(forms[last].widened(for: values))
        }
        openRowCount &+= 1
        rowCount &+= 1
        self.line = line
    }

    /// Ends the chunk that rows are put into.
    mutating func close(_ forms: [FactsRowForm]) {
        if openRowCount > 0 {
            let end = openRowCount * forms[openForm].byteCount + FactsRowForm.slackByteCount
            chunks.append(Chunk(form: openForm, rowCount: openRowCount, bytes: Array(open[..<end])))
            openRowCount = 0
        } else if open.isEmpty {
            open = [UInt8](repeating: 0, count: Self.chunkByteCount)
        }
    }

    /// Gives the memory back.
    mutating func removeAll() {
        self = FactsPartition()
    }
}
