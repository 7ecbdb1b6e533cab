internal import Facts

/// The body of the facts file fuzzer: opens any bytes as a facts file, with the full check and with the check of the
/// structure alone, and looks up the rows that it finds. It does the same with right checksums, because a fuzzer does
/// not find those. Nothing may trap or hang.
package func fuzzFactsFile(_ bytes: Span<UInt8>) {
    forEachCheck(of: bytes, exercise)
}

private func exercise(_ bytes: [UInt8], _ check: DataFileCheck) {
    guard let file = try? FactsFile(bytes: bytes, check: check) else { return }
    for key in [1, 2, 3, UInt64.max, 0] { _ = file.find(key) }
    for row in file.rows.prefix(32) {
        let key = file.key(of: row)
        let found = key.flatMap { file.find($0) }
        precondition(check == .structure || found == row, "a key of a good file is not found")
        // Also one column before the first and one after the last.
        for column in -1...file.columns.count {
            _ = (file.integer(column: column, row: row), file.date(column: column, row: row))
            _ = (file.boolean(column: column, row: row), file.string(column: column, row: row))
            _ = file.withString(column: column, row: row) { $0.count }
            guard check == .full, file.columns.indices.contains(column) else { continue }
            let isText = file.columns[column].kind == .string && file.isPresent(column: column, row: row)
            precondition(!isText || file.string(column: column, row: row) != nil, "a string is missing")
        }
    }
}
