internal import DataFiles
internal import Vocabulary

/// Checks the facts files of a generation against the rules files that they are for.
enum FactsFit {
    /// Checks that each facts file has the facts that the rules of its app and environment declare. Returns a warning
    /// for each rules file that asks for facts and has no facts file.
    ///
    /// - Throws: `data-file.fact-missing`, `data-file.fact-type-mismatch`.
    static func check(_ files: [CheckedFile]) throws(LoadError) -> [LoadWarning] {
        var warnings: [LoadWarning] = []
        for rules in files {
            guard case .rules(let read, _) = rules.contents else { continue }
            let facts = files.first { other in
                other.file.kind == .facts && other.file.appAppleId == rules.file.appAppleId
                    && other.file.environment == rules.file.environment
            }
            guard let facts, case .facts(let columns, let offset) = facts.contents else {
                if !read.isEmpty { warnings.append(missing(rules.file)) }
                continue
            }
            _ = try DataFileError.mapped(
                to: { LoadError.factsUnfit(name: facts.file.name, rulesName: rules.file.name, $0) },
                try FactsBinding(declared: read, columns: columns, columnsOffset: offset)
            )
        }
        return warnings
    }

    private static func missing(_ rules: ManifestFile) -> LoadWarning {
        LoadWarning(
            code: "facts-file-missing",
            message: "no facts for app \(rules.appAppleId) in \(rules.environment.rawValue), which "
                + "\(rules.name) asks for: no subscriber is found"
        )
    }
}
