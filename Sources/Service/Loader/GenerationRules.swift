internal import Configuration
internal import DataFiles
internal import Vocabulary

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
