internal import DataFiles
internal import JSON

extension CompiledFacts {
    /// Prints every row as a JSON object on its own line, without the missing values. Compiling these lines makes the
    /// same file.
    static func dump(_ path: String) throws(ToolFailure) {
        let file = try open(path, check: .full)
        var text: [UInt8] = []
        for row in file.rows {
            guard let key = file.key(of: row) else { continue }
            var members = [("originalTransactionId", JSONNode.string(String(key)))]
            for (index, column) in file.columns.enumerated() where file.isPresent(column: index, row: row) {
                members.append((column.name, FactText.node(index, row, file)))
            }
            text += JSONNode.object(members).serialized() + [UInt8(ascii: "\n")]
            if text.count > 1 << 18 {
                Console.print(bytes: text)
                text.removeAll(keepingCapacity: true)
            }
        }
        Console.print(bytes: text)
    }
}
