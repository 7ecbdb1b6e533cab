internal import Configuration
internal import Facts
internal import Rules
internal import System

/// Checks the files of a generation against each other, against the configuration and against the last good generation:
/// rules that were served must not disappear. Any valid file may take the place of another, an older one too.
enum GenerationRules {
    static func check(
        _ files: [ManifestFile], _ configuration: Configuration, lastGood: [ManifestFile],
        wallMilliseconds: Int64
    ) throws(LoadError) {
        for (index, file) in files.enumerated() {
            if let other = files[..<index].first(where: { $0.hasSameRole(as: file) }) {
                throw .duplicateFile(name: other.name, other: file.name)
            }
            guard let app = configuration.apps.first(where: { $0.appAppleId == file.appAppleId }) else {
                throw .appNotConfigured(name: file.name, appAppleId: file.appAppleId)
            }
            guard app.environments.contains(file.environment) else {
                throw .environmentNotConfigured(
                    name: file.name, appAppleId: file.appAppleId, file.environment)
            }
            if let built = file.builtAtMilliseconds {
                guard built - LoaderLimits.futureMilliseconds <= wallMilliseconds else {
                    throw .builtInFuture(name: file.name, builtAtMilliseconds: built)
                }
            }
        }
        for last in lastGood where !files.contains(where: { $0.hasSameRole(as: last) }) {
            let isConfigured = configuration.apps.contains {
                $0.appAppleId == last.appAppleId && $0.environments.contains(last.environment)
            }
            if isConfigured && last.kind == .rules {
                throw .rulesFileMissing(appAppleId: last.appAppleId, last.environment, lastName: last.name)
            }
        }
    }
}

/// Checks the facts files of a generation against the rules files that they are for.
enum FactsFit {
    /// Checks that each facts file has the facts that the rules of its app and environment declare. Returns a warning
    /// for each rules file that asks for facts and has no facts file.
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

/// Compares the signatures that rules need with the signatures that the configuration allows.
enum SigningFit {
    /// Returns warnings about rules that are passed over because the service cannot sign for them. This is never a
    /// refusal, since the other rules serve.
    static func warnings(_ files: [CheckedFile], _ configuration: Configuration) -> [LoadWarning] {
        files.flatMap { file -> [LoadWarning] in
            guard case .rules(_, let signing) = file.contents, !signing.isEmpty,
                let app = configuration.apps.first(where: { $0.appAppleId == file.file.appAppleId })
            else { return [] }
            let name = file.file.name
            if app.signingKey == nil {
                let what =
                    "rules that need a signature of app \(app.appAppleId) are passed over: "
                    + "the app has no \"signingKeys\""
                return [LoadWarning(code: "signing-key-missing", message: "\(name): \(what)")]
            }
            guard signing.contains(.advancedCommerce), !app.signsAdvancedCommerce else { return [] }
            let what =
                "rules with Advanced Commerce requests are passed over: \"advancedCommerce\" is \"off\""
            return [LoadWarning(code: "advanced-commerce-off", message: "\(name): \(what)")]
        }
    }
}
