internal import DataFiles
internal import System

/// The waiting rows whose mixed keys begin with the same bits. They are packed in a ``FactsRowForm``.
struct FactsPartition {
    /// Rows of one form, one after the other, and ``FactsRowForm/slackByteCount`` bytes after the last row.
    struct Chunk {
        /// The index of the form.
        let form: Int
        let rowCount: Int
        let bytes: [UInt8]
    }

    /// The number of bits of the mixed key that select a partition.
    static let bits = 8
    static let count = 1 << bits

    private static let chunkByteCount = 32 << 10

    private(set) var chunks: [Chunk] = []
    private(set) var rowCount = 0
    /// The line of the last row.
    private(set) var line = 0
    /// The chunk that receives rows; its form is ``openForm``.
    private var open: [UInt8] = []
    private var openForm = 0
    private var openRowCount = 0

    /// Appends a row. Its first value becomes the distance between its line and the line of the row before. When a
    /// value is too wide for the last form, a wider form is appended to `forms`.
    @inline(__always)
    mutating func append(
        _ key: UInt64, line: Int, _ present: UInt64, _ values: inout FactsRowForm.Values,
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

    /// Stores the open chunk if it has rows. Else allocates its buffer if there is none yet.
    mutating func close(_ forms: [FactsRowForm]) {
        if openRowCount > 0 {
            let end = openRowCount * forms[openForm].byteCount + FactsRowForm.slackByteCount
            chunks.append(Chunk(form: openForm, rowCount: openRowCount, bytes: Array(open[..<end])))
            openRowCount = 0
        } else if open.isEmpty {
            open = [UInt8](repeating: 0, count: Self.chunkByteCount)
        }
    }

    /// Removes all rows and frees their memory.
    mutating func removeAll() {
        self = FactsPartition()
    }
}
